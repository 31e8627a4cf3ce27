import type { Waiting } from '../../programs/debugging.ts'
import type { StepEmitter } from './step-emitter.ts'

/** Tells that a program or plugin waits for a debugger: people, and editors what they need. */
export function tellWaiting(
  { emit }: Pick<StepEmitter, 'emit'>,
  { config, message }: Waiting,
): void {
  emit({
    diagnosticEvent: {
      ephemeral: true,
      streamID: 0,
      prefix: 'info: ',
      message: `Waiting for debugger to attach (${message})...`,
      color: 'raw',
      severity: 'info',
    },
  })
  emit({ startDebuggingEvent: { config } })
}
