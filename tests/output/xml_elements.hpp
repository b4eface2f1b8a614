// A strict little reader of XML for the tests: it throws where the text is not well-formed.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace kiln {

struct XmlElement {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;  // directly inside, as written
  int depth = 0;     // 0: the root
};

class XmlReader {
 public:
  explicit XmlReader(const std::string& xml) : xml_(xml) {}

  // In the order in which they open.
  std::vector<XmlElement> elements() {
    while (at_ < xml_.size()) {
      if (skip("<?", "?>") || skip("<!--", "-->")) continue;
      if (xml_.compare(at_, 2, "</") == 0)
        close();
      else if (xml_[at_] == '<')
        open();
      else
        text();
    }
    if (!open_.empty()) fail("an element is never closed");
    return elements_;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(what + " near: " + xml_.substr(at_ < 40 ? 0 : at_ - 40, 80));
  }
  bool skip(const std::string& begin, const std::string& end) {
    if (xml_.compare(at_, begin.size(), begin) != 0) return false;
    const std::size_t found = xml_.find(end, at_ + begin.size());
    if (found == std::string::npos) fail("no " + end);
    at_ = found + end.size();
    return true;
  }
  std::string word() {
    const std::size_t begin = at_;
    while (at_ < xml_.size() && (std::isalnum(static_cast<unsigned char>(xml_[at_])) || xml_[at_] == '-' ||
                                 xml_[at_] == ':' || xml_[at_] == '_'))
      ++at_;
    if (at_ == begin) fail("a name was expected");
    return xml_.substr(begin, at_ - begin);
  }
  void take(char c) {
    if (at_ >= xml_.size() || xml_[at_] != c) fail(std::string("expected ") + c);
    ++at_;
  }
  void spaces() {
    while (at_ < xml_.size() && std::isspace(static_cast<unsigned char>(xml_[at_]))) ++at_;
  }
  void check_references(const std::string& text) const {
    for (std::size_t i = text.find('&'); i != std::string::npos; i = text.find('&', i + 1)) {
      bool known = false;
      for (const char* entity : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"})
        known |= text.compare(i, std::string(entity).size(), entity) == 0;
      if (!known) fail("a stray &");
    }
  }
  void open() {
    take('<');
    XmlElement element;
    element.name = word();
    element.depth = int(open_.size());
    if (open_.empty() && !elements_.empty()) fail("a second root");
    for (spaces(); at_ < xml_.size() && xml_[at_] != '>' && xml_[at_] != '/'; spaces()) {
      const std::string name = word();
      take('=');
      take('"');
      const std::size_t end = xml_.find('"', at_);
      if (end == std::string::npos) fail("an attribute that does not end");
      const std::string value = xml_.substr(at_, end - at_);
      if (value.find('<') != std::string::npos) fail("a < in an attribute");
      check_references(value);
      if (!element.attributes.emplace(name, value).second) fail("an attribute twice");
      at_ = end + 1;
    }
    elements_.push_back(element);
    if (at_ < xml_.size() && xml_[at_] == '/')
      ++at_;
    else
      open_.push_back(elements_.size() - 1);
    take('>');
  }
  void close() {
    at_ += 2;
    const std::string name = word();
    if (open_.empty() || elements_[open_.back()].name != name) fail("</" + name + "> closes nothing");
    open_.pop_back();
    take('>');
  }
  void text() {
    const std::size_t end = std::min(xml_.find('<', at_), xml_.size());
    const std::string found = xml_.substr(at_, end - at_);
    check_references(found);
    if (open_.empty() && found.find_first_not_of(" \n") != std::string::npos) fail("text outside the root");
    if (!open_.empty()) elements_[open_.back()].text += found;
    at_ = end;
  }

  const std::string& xml_;
  std::size_t at_ = 0;
  std::vector<XmlElement> elements_;
  std::vector<std::size_t> open_;
};

inline std::vector<XmlElement> xml_elements(const std::string& xml) { return XmlReader(xml).elements(); }

}  // namespace kiln
