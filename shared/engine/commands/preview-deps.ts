import type { PreviewDeps } from '../generator/preview-step.ts'
import type { Life } from './life.ts'

/** What a preview of a life's command carries its steps out with. */
export function previewDepsOf(life: Life): PreviewDeps & Pick<Life, 'request'> {
  const { request, performing, emitter, monitor } = life
  const afterFailed = (): void => void life.afterFailed()
  return { request, performing, emitter, hooks: monitor.hooks, afterFailed }
}
