/** How the bootstrap speaks: short lines on stderr, because stdout is for results. */

/** Says what is done now. */
export function printProgress(text) {
  console.error(`· ${text}`)
}

/** An expected failure: what happened and what to do, printed without a stack trace. */
export function createBootstrapFailure(text, hint) {
  return Object.assign(new Error(text), { hint })
}

/** Seconds since `beganMs`, for people. */
export function elapsedSince(beganMs) {
  return `${((Date.now() - beganMs) / 1000).toFixed(1)} s`
}
