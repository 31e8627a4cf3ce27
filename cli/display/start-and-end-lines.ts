import type { EngineEventPayload } from '../../shared/engine/events/event.ts'
import type { DeployResult } from '../../shared/engine/request.ts'
import type { DisplayOptions } from '../session/tools.ts'
import { formatLink, removeControls, type Paint } from './paint.ts'
import type { LineStyle } from './plain-lines.ts'
import type { Progress } from './progress.ts'
import { formatForecast } from './forecast-lines.ts'
import {
  formatDurationLines,
  formatOutputs,
  formatPending,
  formatResourceCounts,
} from './summary.ts'

/** The options that the title depends on. */
type TitleOptions = Pick<DisplayOptions, 'kind' | 'dryRun' | 'stack' | 'refreshesFirst'>

/** Returns the first line: the operation and the stack. */
export function formatTitle(options: TitleOptions): string {
  const titles = {
    up: ['Updating', 'Previewing update of'],
    preview: ['Previewing update of', 'Previewing update of'],
    refresh: ['Refreshing', 'Previewing refresh of'],
    import: ['Importing into', 'Previewing import into'],
    destroy: ['Destroying', 'Previewing destruction of'],
  } as const
  const title = `${titles[options.kind][options.dryRun ? 1 : 0]} stack ${options.stack}`
  return options.refreshesFirst === true ? `${title}, refreshing its resources first` : title
}

/** Returns the title for a terminal. It links to the stack's page, if a dashboard has that page. */
export function formatLinkedTitle(
  options: TitleOptions & Pick<DisplayOptions, 'dashboard' | 'color'>,
  paint: Paint,
): string {
  const title = paint('bold', formatTitle(options))
  return options.dashboard === undefined || !options.color
    ? title
    : formatLink(title, options.dashboard)
}

/**
 * Returns an empty line and the lines of the configuration, if requested. The first event contains
 * the configuration, with `[secret]` for each secret.
 */
export function formatConfig(
  event: EngineEventPayload,
  options: Pick<DisplayOptions, 'showConfig'>,
  paint: Paint,
): readonly string[] {
  if (!options.showConfig || !('preludeEvent' in event)) return []
  const { config } = event.preludeEvent
  const lines = Object.keys(config)
    .toSorted()
    .map(key => `    ${removeControls(key)}: ${removeControls(config[key] ?? '')}`)
  return ['', paint('faint', 'Configuration:'), ...lines]
}

/**
 * Returns the last lines: outputs, counts, duration, forecast and pending operations, in blocks
 * separated by empty lines.
 */
export function formatEnd(
  progress: Progress,
  options: Pick<DisplayOptions, 'suppressOutputs'>,
  end: { readonly result: DeployResult; readonly elapsedMs: number; readonly style: LineStyle },
): readonly string[] {
  const { style, result } = end
  const rows = progress.listRows()
  const failedCount = rows.filter(row => row.status === 'failed').length
  const { elapsedMs } = end
  const figures = { result, summary: progress.readSummary(), failedCount, rows, elapsedMs }
  const blocks = [
    options.suppressOutputs ? [] : formatOutputs(progress.readStackStep(), style),
    formatResourceCounts(figures, style),
    formatDurationLines(figures, style),
    formatForecast(result.forecast, style.paint),
    formatPending(result.pending, style.paint),
  ]
  return blocks.filter(block => block.length > 0).flatMap(block => ['', ...block])
}
