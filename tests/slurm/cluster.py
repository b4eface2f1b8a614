"""A Slurm of its own on this machine: munged, slurmctld and one slurmd per node, with all their files in one folder.

Two nodes are on one machine: each slurmd has a mount namespace of its own, since Slurm's PMIx plugin looks for one path
on all nodes. That takes root; without, there is one node. A job on both has one process on each: two would take each
other's shared memory, which Open MPI names by the host and the number of a process on its node.
"""

import os
import pwd
import shutil
import socket
import subprocess
import time
from pathlib import Path

DAEMONS = ["munged", "slurmctld", "slurmd"]
COMMANDS = ["sbatch", "scancel", "scontrol", "sinfo", "squeue", "srun"]
SEARCHED = os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin"
OWN_MOUNTS = ["unshare", "--mount", "--propagation", "private"]

CONFIGURATION = """
ClusterName=kiln
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=10
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
SlurmctldDebug=verbose
SlurmdDebug=verbose
ProctrackType=proctrack/linuxproc
ReturnToService=2
SlurmdParameters=config_overrides
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=2,bf_interval=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
JobRequeue=1
KillWait=60
MinJobAge=3600
PartitionName=patient Nodes=ALL Default=YES PriorityTier=1 PreemptMode=REQUEUE GraceTime=30 State=UP
PartitionName=urgent Nodes=ALL PriorityTier=10 PreemptMode=OFF State=UP
"""
NODE = "NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 RealMemory=100\n"


def missing():
    """The programs of Slurm and MPI that are not installed."""
    return [name for name in DAEMONS + COMMANDS + ["mpirun"] if not shutil.which(name, path=SEARCHED)]


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def can_hide_mounts():
    return subprocess.run([*OWN_MOUNTS, "true"], capture_output=True).returncode == 0


class Cluster:
    """start() raises where it does not come up; stop() ends everything, and may be called at any time."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.nodes = ["one", "two"] if can_hide_mounts() else ["one"]
        self.daemons = []
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("SLURM")}
        self.environment.update(PATH=SEARCHED, SLURM_CONF=str(self.folder / "slurm.conf"))

    def start(self):
        self.folder.chmod(0o755)  # munge asks that others can reach its socket
        for name in ["state", "spool", *(f"spool-{node}" for node in self.nodes)]:
            (self.folder / name).mkdir()
        self._configure()
        files = {"socket": "munge.socket", "key-file": "munge.key"}
        files.update({f"{what}-file": f"munged.{what}" for what in ["log", "pid", "seed"]})
        self._daemon(
            "munged", "--foreground", "--force", *(f"--{key}={self.folder / name}" for key, name in files.items())
        )
        self.wait_for(lambda: (self.folder / "munge.socket").exists(), "munged to open its socket")
        self._daemon("slurmctld", "-D", "-i")
        for node in self.nodes:
            if len(self.nodes) == 1:
                self._daemon("slurmd", "-D", "-N", node)
            else:
                mount = f'mount --bind "{self.folder}/spool-{node}" "{self.folder}/spool"'
                self._daemon(*OWN_MOUNTS, "sh", "-c", f"{mount} && exec slurmd -D -N {node}")
        self.wait_for(lambda: self._states() == ["idle"] * len(self.nodes), "all nodes to be idle")

    def _configure(self):
        key = self.folder / "munge.key"
        key.touch(mode=0o600)
        key.write_bytes(os.urandom(128))
        host = socket.gethostname().split(".")[0]
        controller_port, *ports = free_ports(1 + len(self.nodes))
        user = pwd.getpwuid(os.getuid()).pw_name
        text = CONFIGURATION.format(folder=self.folder, host=host, user=user, controller_port=controller_port)
        nodes = [NODE.format(name=name, host=host, port=port) for name, port in zip(self.nodes, ports)]
        at = text.index("PartitionName")
        (self.folder / "slurm.conf").write_text(text[:at] + "".join(nodes) + text[at:])
        (self.folder / "mpi.conf").write_text(f"PMIxCliTmpDirBase={self.folder}/spool\n")

    def stop(self):
        """Ends the jobs, then the daemons, the last one started first, by their process ids."""
        if len(self.daemons) > 1:
            subprocess.run(["scancel", "--user", str(os.getuid())], env=self.environment, capture_output=True)
            self._wait_quietly(lambda: not self.tell("squeue", "--noheader", check=False), 60)
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(30)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        self.daemons = []

    def tell(self, *command, check=True, environment=None, cwd=None):
        """What a command of Slurm prints."""
        done = subprocess.run(
            [str(word) for word in command],
            env={**self.environment, **(environment or {})},
            cwd=cwd,
            capture_output=True,
            text=True,
        )
        if check and done.returncode != 0:
            raise AssertionError(f"{' '.join(map(str, command))} failed: {done.stderr}")
        return done.stdout.strip()

    def job(self, number):
        """What Slurm knows of a job, key by key."""
        words = self.tell("scontrol", "show", "job", number, "--oneliner").split(" ")
        return dict(word.split("=", 1) for word in words if "=" in word)

    def wait_for(self, condition, what, seconds=240):
        for daemon in self.daemons:
            if daemon.poll() is not None:
                raise AssertionError(f"{' '.join(daemon.args)} ended with {daemon.returncode}")
        if not self._wait_quietly(condition, seconds):
            raise AssertionError(f"waited {seconds} s in vain for {what}")

    def logs(self):
        """The end of every log, for a failure's message."""
        texts = []
        for log in sorted(self.folder.glob("*.log")):
            lines = log.read_text(errors="replace").splitlines()
            texts.append("\n".join([f"--- {log.name}", *lines[-80:]]))
        return "\n".join(texts)

    def _daemon(self, program, *arguments):
        with open(self.folder / f"{program}.out.log", "ab") as log:
            self.daemons.append(
                subprocess.Popen(
                    ["setpriv", "--pdeathsig", "TERM", "--", program, *arguments],  # also where a test is killed
                    env=self.environment,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,  # a Ctrl-C is for the test, which stops them in order
                )
            )

    def _states(self):
        return self.tell("sinfo", "--noheader", "--Node", "--partition=patient", "--format=%T", check=False).split()

    @staticmethod
    def _wait_quietly(condition, seconds):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                return False
            time.sleep(0.2)
        return True
