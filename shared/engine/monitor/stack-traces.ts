import type { StackFrame } from '../../state/resource.ts'

/**
 * The stack frames of a program that calls a provider's Construct or method. Resources that the
 * provider registers during the call get these frames before their own.
 */
export interface StackTraces {
  /**
   * Calls `action` with a handle for the frames. The handle is valid until `action` ends. It is ''
   * if there are no frames.
   */
  readonly runWithFrames: <T>(
    frames: readonly StackFrame[],
    action: (handle: string) => Promise<T>,
  ) => Promise<T>
  /** Returns the frames of a handle, followed by `frames`. */
  readonly withCallerFrames: (
    handle: string,
    frames: readonly StackFrame[],
  ) => readonly StackFrame[]
}

/** Creates an empty set of traces. Source: docs/spec/state-format.md (sourcePosition). */
export function createStackTraces(): StackTraces {
  const framesByHandle = new Map<string, readonly StackFrame[]>()
  let lastNumber = 0
  return {
    async runWithFrames(frames, action) {
      if (frames.length === 0) return action('')
      lastNumber += 1
      const handle = `trace ${lastNumber}`
      framesByHandle.set(handle, frames)
      try {
        return await action(handle)
      } finally {
        framesByHandle.delete(handle)
      }
    },
    withCallerFrames(handle, frames) {
      const callerFrames = framesByHandle.get(handle)
      return callerFrames === undefined ? frames : [...callerFrames, ...frames]
    },
  }
}
