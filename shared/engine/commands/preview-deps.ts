import type { PreviewDeps } from '../generator/steps/preview-step.ts'
import type { CommandRun } from './command-run.ts'

/** Returns the dependencies with which a preview executes its steps. */
export function previewDepsOf(run: CommandRun): PreviewDeps & Pick<CommandRun, 'request'> {
  const { request, performDeps, emitter, monitor, forecast } = run
  const onHookFailed = (): void => void run.onHookFailed()
  return { request, performDeps, emitter, hooks: monitor.hooks, forecast, onHookFailed }
}
