"""Says how long the tasks of Spark's stages took, so that one that makes the others wait is seen."""


class Stages:
    """The stages that Spark has completed, as its own pages show them."""

    def __init__(self, session, say):
        self.context, self.gateway, self.say = session.sparkContext._jsc.sc(), session.sparkContext._gateway, say
        self.said = set()

    def report(self, step):
        """Says how long the tasks took of that stage, of those completed since the last report, that took longest."""
        self.context.listenerBus().waitUntilEmpty()
        java = self.gateway.jvm.java.util
        stages = self.context.statusStore().stageList(
            java.ArrayList(), False, False, self.quantiles(), java.ArrayList())
        stages = [stages.apply(index) for index in range(stages.size())]
        stages = [stage for stage in stages if stage.status().toString() == "COMPLETE"]
        new = [stage for stage in stages if (stage.stageId(), stage.attemptId()) not in self.said]
        self.said.update((stage.stageId(), stage.attemptId()) for stage in new)
        if not new:
            return
        longest = max(new, key=lambda stage: stage.executorRunTime())
        times = self.context.statusStore().taskSummary(longest.stageId(), longest.attemptId(), self.quantiles())
        if times.isDefined():
            run = times.get().executorRunTime()
            self.say(f"{step}: {spread(longest.numCompleteTasks(), [run.apply(index) / 1000 for index in range(3)])}")

    def quantiles(self):
        numbers = self.gateway.new_array(self.gateway.jvm.double, 3)
        numbers[0], numbers[1], numbers[2] = 0.0, 0.5, 1.0
        return numbers


def spread(count, seconds):
    """How long tasks took: at least, in the middle, at most."""
    least, middle, most = seconds
    return f"{count} tasks of {least:.2f} to {most:.2f} s, {middle:.2f} s in the middle"
