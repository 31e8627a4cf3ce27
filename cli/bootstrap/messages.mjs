/** Messages of the bootstrap: short lines on stderr, because stdout is for results. */

/** Prints the current step. */
export function printProgress(text) {
  console.error(`· ${text}`)
}

/** Creates an expected failure with a message and a hint. It is printed without a stack trace. */
export function createBootstrapFailure(text, hint) {
  return Object.assign(new Error(text), { hint })
}

/** Returns the seconds since `beganMs` as text. */
export function elapsedSince(beganMs) {
  return `${((Date.now() - beganMs) / 1000).toFixed(1)} s`
}
