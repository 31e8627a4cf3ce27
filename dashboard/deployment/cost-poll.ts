/** The pause between two reads of a cost that may still grow, in ms. */
const pauseMs = 30_000
/** The time after the end of a deployment in which its cost may still grow, in ms. */
const growthMs = 5 * 60_000

/**
 * Returns the interval at which the cost of an ended deployment is read, in ms. 0: it is read once.
 * Functions store their last usage some time after the end of the deployment. `endedAt`: absent
 * while only the stream has reported the end.
 */
export function costPollIntervalMsOf(endedAt: number | undefined, nowMs: number): number {
  return endedAt === undefined || nowMs < endedAt + growthMs ? pauseMs : 0
}
