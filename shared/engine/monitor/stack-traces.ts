import type { StackFrame } from '../../state/resource.ts'

/** Stack traces of callers, kept while the called code registers resources. */
export interface StackTraces {
  /** Runs `work` with a handle for the frames. The handle is '' if there are no frames. */
  readonly runWithFrames: <T>(
    frames: readonly StackFrame[],
    work: (handle: string) => Promise<T>,
  ) => Promise<T>
  /** Returns the frames, preceded by the caller's frames, for which the handle was created. */
  readonly withCallerFrames: (
    handle: string,
    frames: readonly StackFrame[],
  ) => readonly StackFrame[]
}

/** Creates an empty set of traces. Source: docs/spec/monitor.md#resourcemonitor step 17. */
export function createStackTraces(): StackTraces {
  const framesByHandle = new Map<string, readonly StackFrame[]>()
  let lastNumber = 0
  return {
    async runWithFrames(frames, work) {
      if (frames.length === 0) return work('')
      lastNumber += 1
      const handle = `trace ${lastNumber}`
      framesByHandle.set(handle, frames)
      try {
        return await work(handle)
      } finally {
        framesByHandle.delete(handle)
      }
    },
    withCallerFrames: (handle, frames) => [...(framesByHandle.get(handle) ?? []), ...frames],
  }
}
