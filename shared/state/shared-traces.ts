import type { StackFrame } from './resource.ts'

/** Maximum number of remembered stack traces. Above it, all are forgotten. */
const tracesMax = 4096

const noFrames: readonly StackFrame[] = []
const unknownFrame: StackFrame = {}
const tracesByText = new Map<string, readonly StackFrame[]>()

/**
 * Returns the stack trace with these positions. Equal traces share their memory: the resources of a
 * deployment have few different ones. An empty position is an unknown one.
 */
export function stackTraceOf(positions: readonly string[]): readonly StackFrame[] {
  if (positions.length === 0) return noFrames
  const text = positions.join('\n')
  const sharedTrace = tracesByText.get(text)
  if (sharedTrace !== undefined) return sharedTrace
  if (tracesByText.size >= tracesMax) tracesByText.clear()
  const trace = positions.map(position =>
    position === '' ? unknownFrame : { sourcePosition: position },
  )
  tracesByText.set(text, trace)
  return trace
}
