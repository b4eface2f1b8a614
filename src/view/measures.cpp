#include "view/measures.hpp"

#include <fstream>
#include <limits>

#include "base/csv.hpp"
#include "base/text.hpp"

namespace kiln::view {

Measures MeasuresFile::read() {
  const std::lock_guard lock(mutex_);
  std::error_code missing;
  const auto size = std::filesystem::file_size(file_, missing);
  if (missing || int64_t(size) == bytes_) return known_;
  if (int64_t(size) < bytes_) {
    bytes_ = 0;
    known_ = nullptr;
  }
  std::ifstream in(file_, std::ios::binary);
  if (!in.seekg(bytes_)) return known_;
  CsvReader record(in);
  std::shared_ptr<std::vector<TableColumn>> more;
  while (record.next() && record.is_whole()) {
    if (!known_ && !more) {
      more = std::make_shared<std::vector<TableColumn>>();
      for (const std::string& name : record.fields()) more->push_back({name, {}});
    } else {
      if (!more) more = std::make_shared<std::vector<TableColumn>>(*known_);
      if (record.fields().size() != more->size()) break;  // the rest of it comes later
      for (std::size_t i = 0; i < more->size(); ++i)
        (*more)[i].values.push_back(
            number_in(record.fields()[i]).value_or(std::numeric_limits<double>::quiet_NaN()));
    }
    bytes_ += int64_t(record.text().size());
  }
  if (more) known_ = more;
  return known_;
}

}  // namespace kiln::view
