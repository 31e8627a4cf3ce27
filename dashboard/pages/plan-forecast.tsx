import type { ShownForecast } from '../api/engine-events.ts'
import { resourceNameOf } from '../deployment/operation-row.ts'
import { formatCount } from '../format/format-count.ts'
import { formatSpan } from '../format/format-time.ts'

/** Waves beyond this number are only counted. */
const wavesMax = 20

/** Shows the expected course of a plan, and what it does not delete. */
export function PlanForecast({ forecast }: { forecast: ShownForecast }) {
  const { steps, waves, waveCount, width, wallMs, parallel, kept, keptCount } = forecast
  const shownWaves = waves.slice(0, wavesMax).join(', ')
  const omitted = waveCount - Math.min(waves.length, wavesMax)
  return (
    <section className="page-section" aria-label="Forecast">
      <h2>Forecast</h2>
      <p>
        {formatCount(steps, 'step')} in {formatCount(waveCount, 'wave')} ({shownWaves}
        {omitted > 0 ? `, and ${omitted} more` : ''}), {width} in the largest. About{' '}
        {formatSpan(wallMs)} with {formatCount(parallel, 'call')} at the same time.
      </p>
      {kept.length === 0 ? null : (
        <>
          <p>{formatCount(keptCount, 'resource')} stay:</p>
          <ul>
            {kept.map(({ urn, reason }) => (
              <li key={urn} title={urn}>
                <b>{resourceNameOf(urn)}</b> is {reason}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}
