import { limits } from '../../shared/config/limits.ts'
import { typeOf } from '../../shared/names/urn.ts'
import type { Forecast, ForecastStep, KeptResource } from '../../shared/records/forecast.ts'
import { formatWithNoun } from './format-with-noun.ts'
import { formatElapsed } from './format-elapsed.ts'
import { nameOfUrn } from './messages.ts'
import { isStepOp, styleOf } from './operation-style.ts'
import type { Paint } from './paint.ts'

/**
 * Maximum numbers of shown entries. `steps`: of the critical path. `kept`: kept resources. `names`:
 * resources that stay because of one kept resource. `widths`: numbers of steps in a wave.
 */
const shownMax = { steps: 5, kept: 5, names: 3, widths: 8 } as const

/**
 * Formats the forecast of a preview in a few lines. Returns no lines for fewer than two steps,
 * unless a resource is kept because it is protected or retained.
 */
export function formatForecast(forecast: Forecast | undefined, paint: Paint): readonly string[] {
  if (forecast === undefined || (forecast.steps < 2 && forecast.keptCount === 0)) return []
  const lines = [...formatSteps(forecast, paint), ...formatKept(forecast, paint)]
  return [paint('bold', 'Forecast:'), ...lines.map(line => `    ${line}`)]
}

function formatSteps(forecast: Forecast, paint: Paint): readonly string[] {
  const { steps, waves, waveCount, width, criticalPath, wallMs, parallel, workMs } = forecast
  const { overheadMs = 0 } = forecast
  if (steps === 0) return []
  const widths = shorten(waves.map(String), waveCount, shownMax.widths).join(', ')
  const waveText = `${formatWithNoun(steps, 'step')} in ${formatWithNoun(waveCount, 'wave')} (${widths})`
  const lines = [`${waveText}, ${width} in the largest`]
  if (workMs === 0) return lines
  const time = `about ${formatElapsed(wallMs + overheadMs)} with --parallel ${parallel}`
  const parts =
    overheadMs === 0
      ? ''
      : ` (calls ${formatElapsed(wallMs)}, other work ${formatElapsed(overheadMs)})`
  lines.push(`${time}${parts}; the critical path takes ${formatElapsed(criticalPath.ms)}:`)
  const pathLines = criticalPath.steps.map(step => `    ${formatStep(step, paint)}`)
  const formatMoreLine = (count: number): string => paint('faint', `    … ${count} more`)
  const { stepCount } = criticalPath
  lines.push(...pathLines.slice(0, shownMax.steps))
  if (stepCount > shownMax.steps) lines.push(formatMoreLine(stepCount - shownMax.steps))
  return [...lines, ...formatEstimates(forecast, paint)]
}

function formatStep({ op, urn, ms, source }: ForecastStep, paint: Paint): string {
  const kind = isStepOp(op) ? styleOf(op).plannedText : op
  const unknown = source === 'default' ? ' (unknown)' : ''
  return `${kind} ${typeOf(urn)} ${paint('bold', nameOfUrn(urn))} ${formatElapsed(ms)}${unknown}`
}

/** Formats how many of the expected durations are unknown. Returns no line if all are known. */
function formatEstimates({ estimates }: Forecast, paint: Paint): readonly string[] {
  const callCount = Object.values(estimates).reduce((sum, count) => sum + count, 0)
  const unknownCount = estimates.default ?? 0
  if (unknownCount === 0) return []
  const assumption = `counted as ${formatElapsed(limits.expectedOperationMs)} each`
  const text = `the duration of ${unknownCount} of ${formatWithNoun(callCount, 'call')} is unknown, and ${assumption}`
  return [paint('faint', text)]
}

function formatKept({ kept, keptCount }: Forecast, paint: Paint): readonly string[] {
  const lines = kept.slice(0, shownMax.kept).map(resource => formatKeptResource(resource, paint))
  const omittedCount = keptCount - lines.length
  return omittedCount > 0
    ? [...lines, paint('faint', `… ${omittedCount} more are protected or retained`)]
    : lines
}

function formatKeptResource(
  { urn, reason, keeps, keepsCount }: KeptResource,
  paint: Paint,
): string {
  const name = paint('bold', nameOfUrn(urn))
  if (keepsCount === 0) return `${name} is ${reason}: it stays`
  const names = shorten(keeps.map(nameOfUrn), keepsCount, shownMax.names).join(', ')
  return `${name} is ${reason}: it stays, and with it ${formatWithNoun(keepsCount, 'other')}: ${names}`
}

/** Returns the first texts of a list with `totalCount` entries, and a mark for the omitted ones. */
function shorten(
  texts: readonly string[],
  totalCount: number,
  textsMax: number,
): readonly string[] {
  return totalCount > textsMax ? [...texts.slice(0, textsMax), '…'] : texts
}
