import type { PreviewDeps } from '../generator/steps/preview-step.ts'
import type { CommandRun } from './command-run.ts'

/** What a preview of a life's command carries its steps out with. */
export function previewDepsOf(run: CommandRun): PreviewDeps & Pick<CommandRun, 'request'> {
  const { request, performing, emitter, monitor } = run
  const onHookFailed = (): void => void run.onHookFailed()
  return { request, performing, emitter, hooks: monitor.hooks, onHookFailed }
}
