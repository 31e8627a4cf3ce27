import type { DebuggerEndpoint } from '../../programs/hosts/spawn-debugged.ts'
import type { StepEmitter } from './step-emitter.ts'

/**
 * Reports that a program or plugin waits for a debugger: as a message for users, and as an event
 * for editors.
 */
export function emitDebuggerWaiting(
  { emit }: Pick<StepEmitter, 'emit'>,
  { config, message }: DebuggerEndpoint,
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
