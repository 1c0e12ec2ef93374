"""Hosts and a Slurm for tests, on one machine: network and host-name namespaces on a bridge.

A test that calls `enclose()` first starts itself again in mount, network and process namespaces of
its own: nothing of it is seen outside, and everything it started ends with it.
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

NET = "10.231.77"
RUN = Path("/run/banzuke")  # a file system of the enclosure's own


def enclose(*programs):
    """Ends the script with code 77, and says why, where the tests cannot run."""
    def skip(why):
        print(f"SKIPPED: {why}", file=sys.stderr)
        sys.exit(77)

    if os.geteuid() != 0:
        skip("hosts are network namespaces: only root can make them")
    for program in ("unshare", "nsenter", "ip") + programs:
        if not shutil.which(program):
            skip(f"{program} is missing: scripts/install-packages cluster")
    if not os.environ.get("BANZUKE_ENCLOSED"):
        way = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
        if subprocess.run(way + ["true"], stderr=subprocess.DEVNULL).returncode != 0:
            skip("this machine allows no namespaces, as in many containers")
        os.environ["BANZUKE_ENCLOSED"] = "1"
        sys.stderr.flush()
        os.execvp(way[0], way + [sys.executable] + sys.argv)
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run"], check=True)
    (RUN / "uts").mkdir(parents=True)
    Path("/run/netns").mkdir()
    call("ip", "link", "set", "lo", "up")


def call(*words, **keywords):
    return subprocess.run(list(map(str, words)), check=True, **keywords)


class Hosts:
    """`count` hosts with a name and an address each, joined by a bridge that this machine is on."""

    def __init__(self, count, prefix="n"):
        self.names = [f"{prefix}{i}" for i in range(1, count + 1)]
        call("ip", "link", "add", "bridge0", "type", "bridge")
        call("ip", "addr", "add", f"{NET}.254/24", "dev", "bridge0")
        call("ip", "link", "set", "bridge0", "up")
        names = f"127.0.0.1 localhost\n{NET}.254 {os.uname().nodename}\n"
        for i, name in enumerate(self.names, 1):
            call("ip", "netns", "add", name)
            call("ip", "link", "add", f"to-{name}", "type", "veth", "peer", "name", "eth0",
                 "netns", name)
            call("ip", "link", "set", f"to-{name}", "master", "bridge0", "up")
            call("ip", "-n", name, "link", "set", "lo", "up")
            call("ip", "-n", name, "addr", "add", f"{NET}.{i}/24", "dev", "eth0")
            call("ip", "-n", name, "link", "set", "eth0", "up")
            call("ip", "-n", name, "route", "add", "default", "via", f"{NET}.254")
            (RUN / "uts" / name).touch()
            call("unshare", f"--uts={RUN}/uts/{name}", "hostname", name)
            names += f"{NET}.{i} {name}\n"
        (RUN / "hosts").write_text(names)
        call("mount", "--bind", RUN / "hosts", "/etc/hosts")
        agent = RUN / "agent"  # what mpirun calls in place of ssh: AGENT HOST COMMAND
        agent.write_text('#!/bin/sh\nhost=$1\nshift\n'
                         f'exec nsenter --net=/run/netns/$host --uts={RUN}/uts/$host sh -c "$*"\n')
        agent.chmod(0o755)

    def on(self, name):
        """Words before a command that make it run on that host."""
        return ["nsenter", f"--net=/run/netns/{name}", f"--uts={RUN}/uts/{name}"]

    def mpirun(self, ranks, slots=1):
        """The words that start `ranks` ranks on all hosts, from the first."""
        hosts = ",".join(f"{name}:{slots}" for name in self.names)
        return self.on(self.names[0]) + [
            "mpirun", "--mca", "plm", "rsh", "--mca", "plm_rsh_agent", str(RUN / "agent"),
            "--host", hosts, "--bind-to", "none", "-n", str(ranks)]

    def cut_off(self, name):
        call("ip", "link", "set", f"to-{name}", "down")

    def reconnect(self, name):
        call("ip", "link", "set", f"to-{name}", "up")


def mpi_environment():
    """TCP between hosts over the bridge, and a host that is lost noticed within 5 s."""
    return dict(os.environ, OMPI_MCA_btl="self,vader,tcp", OMPI_MCA_pml="ob1",
                OMPI_MCA_btl_tcp_if_include=f"{NET}.0/24", OMPI_MCA_oob_tcp_if_include=f"{NET}.0/24",
                OMPI_MCA_orte_tmpdir_base=str(RUN), OMPI_MCA_oob_tcp_keepalive_time="2",
                OMPI_MCA_oob_tcp_keepalive_intvl="1", OMPI_MCA_oob_tcp_keepalive_probes="3")


class Slurm:
    """A Slurm whose nodes are Hosts; it ends with the enclosure."""

    def __init__(self, hosts, cpus=2):
        self.folder = RUN / "slurm"
        for name in ("state", "spool", "log", "munge"):
            (self.folder / name).mkdir(parents=True)
        munge = self.folder / "munge"
        munge.chmod(0o711)
        (munge / "key").write_bytes(os.urandom(1024))
        (munge / "key").chmod(0o400)
        self.environment = dict(mpi_environment(), SLURM_CONF=str(self.folder / "slurm.conf"))
        call("munged", "--force", f"--key-file={munge}/key", f"--socket={munge}/socket",
             f"--pid-file={munge}/pid", f"--log-file={munge}/log", f"--seed-file={munge}/seed",
             "--num-threads=2", stderr=subprocess.DEVNULL)
        nodes = "".join(
            f"NodeName={name} NodeHostname={name} NodeAddr={NET}.{i} Port=6818 CPUs={cpus} "
            f"RealMemory=4000 State=UNKNOWN\n" for i, name in enumerate(hosts.names, 1))
        (self.folder / "slurm.conf").write_text(f"""ClusterName=tests
SlurmctldHost={os.uname().nodename}({NET}.254)
SlurmctldPort=16817
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={munge}/socket,cred_expire=5
CredType=cred/munge
SlurmctldPidFile={self.folder}/slurmctld.pid
SlurmdPidFile={self.folder}/slurmd-%n.pid
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/spool/%n
TmpFS={self.folder}/tmp/%n
SlurmctldLogFile={self.folder}/log/slurmctld.log
SlurmdLogFile={self.folder}/log/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=2,bf_interval=2,sched_min_interval=0
PriorityType=priority/basic
ReturnToService=2
KillWait=5
WaitTime=0
InactiveLimit=0
MinJobAge=300
SlurmctldTimeout=30
SlurmdTimeout=30
BatchStartTimeout=10
CompleteWait=0
EpilogMsgTime=0
OverTimeLimit=0
SlurmdParameters=config_overrides
{nodes}PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE DefaultTime=10 State=UP
""")
        # No detection: slurmd must start where no cgroup file system is mounted.
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        call("slurmctld", "-i", env=self.environment, stdout=subprocess.DEVNULL,
             stderr=subprocess.DEVNULL)
        for name in hosts.names:
            (self.folder / "spool" / name).mkdir()
            (self.folder / "tmp" / name).mkdir(parents=True)
            (self.folder / "tmp" / name).chmod(0o1777)
            call(*hosts.on(name), "slurmd", "-N", name, env=self.environment,
                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait_until(lambda: self.ask("sinfo", "-h", "-N", "-o", "%t").split().count("idle")
                        == len(hosts.names), 30, "the nodes are not idle")

    def ask(self, *words):
        done = subprocess.run(list(map(str, words)), env=self.environment, capture_output=True,
                              text=True)
        return done.stdout

    def wait_until(self, condition, seconds, complaint):
        deadline = time.monotonic() + 3 * seconds  # the machine may be busy with other tests
        while not condition():
            if time.monotonic() > deadline:
                logs = "\n".join(f"--- {log.name}\n" + log.read_text()[-2000:]
                                 for log in (self.folder / "log").iterdir())
                raise AssertionError(f"{complaint}\n{self.ask('squeue', '-a')}\n{logs}")
            time.sleep(0.1)

    def state(self, job):
        """Slurm's words for a job: (state, exit code, restarts)."""
        text = self.ask("scontrol", "show", "job", "-o", job)
        words = dict(word.split("=", 1) for word in text.split() if "=" in word)
        return words.get("JobState", ""), words.get("ExitCode", ""), int(words.get("Restarts", 0))

    def wait_for_end(self, job, seconds=60):
        ends = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "BOOT_FAIL")
        self.wait_until(lambda: self.state(job)[0] in ends, seconds, f"job {job} does not end")
        return self.state(job)[0]
