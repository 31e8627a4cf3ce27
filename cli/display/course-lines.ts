import { typeOf } from '../../shared/names/urn.ts'
import type { CourseStep, DeploymentCourse } from '../../shared/records/deployment-course.ts'
import { formatWithNoun } from './format-with-noun.ts'
import { formatElapsed } from './format-elapsed.ts'
import { nameOfUrn } from './messages.ts'
import { isStepOp, styleOf } from './operation-style.ts'
import type { Paint } from './paint.ts'

/** Maximum number of shown steps of the critical path. */
const stepsMax = 10

/** Waits below this number of milliseconds are not shown, because they round to `0.0s`. */
const shownWaitMinMs = 50

/** Formats the course of a deployment: the parts of its duration, its critical path, and sums. */
export function formatCourse(course: DeploymentCourse, paint: Paint): readonly string[] {
  const { criticalPath, total } = course
  const lines = [paint('bold', `Time: ${formatElapsed(course.wallMs)}`), ...formatTimes(course)]
  if (criticalPath.stepCount === 0) return lines
  const steps = formatWithNoun(criticalPath.stepCount, 'step')
  const omittedCount = criticalPath.stepCount - Math.min(stepsMax, criticalPath.steps.length)
  return [
    ...lines,
    '',
    paint('bold', `Critical path: ${steps}, ${formatElapsed(criticalPath.ms)}`),
    ...(omittedCount > 0
      ? [paint('faint', `    … ${formatWithNoun(omittedCount, 'earlier step')}`)]
      : []),
    ...criticalPath.steps.slice(-stepsMax).map(step => `    ${formatStep(step, paint)}`),
    '',
    `${formatWithNoun(total.steps, 'step')} in total: ${formatTotal(total)}`,
  ]
}

/** Formats the parts of the duration, each with its share of the duration in percent. */
function formatTimes({ time, wallMs, parallel }: DeploymentCourse): readonly string[] {
  const parts = [
    ['provider calls', time.callMs],
    [`waiting for a slot of --parallel ${parallel}`, time.slotMs],
    ['waiting for limits of calls', time.limitMs],
    ['retries', time.retryMs],
    ['program, checks and records', time.engineMs],
  ] as const
  const width = Math.max(...parts.map(([name]) => name.length))
  return parts.map(([name, ms]) => {
    const share = wallMs === 0 ? 0 : Math.round((100 * ms) / wallMs)
    const elapsed = formatElapsed(ms).padStart(6)
    return `    ${name.padEnd(width)} ${elapsed} ${String(share).padStart(3)}%`
  })
}

function formatStep(
  { op, urn, verdict, callMs, slotMs, limitMs, retryMs, engineMs }: CourseStep,
  paint: Paint,
): string {
  const kind = isStepOp(op) ? styleOf(op).doneText : op
  const verdictText = verdict === 'succeeded' ? '' : ` (${verdict})`
  const waits = [
    ['waiting for a slot', slotMs],
    ['waiting for a limit', limitMs],
    ['retries', retryMs],
    ['other work', engineMs],
  ] as const
  const shownWaits = waits.filter(([, ms]) => ms >= shownWaitMinMs)
  const waitsText = shownWaits.map(([name, ms]) => `${formatElapsed(ms)} ${name}`).join(', ')
  const suffix = waitsText === '' ? '' : paint('faint', ` after ${waitsText}`)
  const name = paint('bold', nameOfUrn(urn))
  return `${typeOf(urn)} ${name} ${kind} in ${formatElapsed(callMs)}${verdictText}${suffix}`
}

function formatTotal({
  callMs,
  slotMs,
  limitMs,
  dependencyMs,
  retryMs,
  retriedSteps,
}: DeploymentCourse['total']): string {
  const parts = [
    `${formatElapsed(callMs)} of provider calls`,
    `${formatElapsed(slotMs)} waiting for a slot`,
    `${formatElapsed(dependencyMs)} waiting for other steps`,
  ]
  if (limitMs > 0) parts.push(`${formatElapsed(limitMs)} waiting for limits`)
  if (retriedSteps > 0)
    parts.push(`${formatElapsed(retryMs)} of retries of ${formatWithNoun(retriedSteps, 'step')}`)
  return parts.join(', ')
}
