import { usePolled } from '../api/use-polled.ts'
import type {
  NeededOperation,
  ShownAttempt,
  ShownRecords,
  ResourceRecords,
  ShownLimits,
  ShownOperation,
} from '../api/operation-views.ts'
import { resourceNameOf } from '../deployment/operation-row.ts'
import { formatCount } from '../format/format-count.ts'
import { formatSpan } from '../format/format-time.ts'
import { stripControls } from '../format/strip-controls.ts'
import { stageStatusOf, verdictStatusOf, waitTextOf } from '../format/wait-status.ts'
import { useClient } from '../session/client-context.ts'
import { FailureNote } from '../widgets/failure-note.tsx'
import { StatusLabel } from '../widgets/status-label.tsx'

const openPollMs = 2_000

interface RecordsWithLimits extends ResourceRecords {
  /** The labels of the limits of calls that deployments use now. */
  readonly limits: readonly string[]
}

/**
 * Shows the records of the operations of a resource: why each one waits, its attempts with their
 * errors, and its times. `stackPath`, `path`: the paths of the stack and deployment in the API.
 */
export function ResourceOperations(props: {
  stackPath: string
  path: string
  urn: string
  isEnded: boolean
}) {
  const { stackPath, path, urn, isEnded } = props
  const { client } = useClient()
  const { value, failure } = usePolled({
    key: `${path} ${urn}`,
    revision: isEnded ? 'ended' : 'open',
    intervalMs: isEnded ? 0 : openPollMs,
    async read(signal): Promise<RecordsWithLimits> {
      const query = `urn=${encodeURIComponent(urn)}`
      const records = await client.read<ResourceRecords>(
        `${path}/operations/records?${query}`,
        signal,
      )
      if (!records.items.some(({ wait }) => wait.kind === 'delivery'))
        return { ...records, limits: [] }
      const { items } = await client.read<ShownLimits>(`${stackPath}/limits`, signal)
      return {
        ...records,
        limits: items.filter(item => item.deployments > 0).map(({ label }) => label),
      }
    },
  })
  if (failure?.code === 'RECORDS_REMOVED')
    return (
      <section>
        <h3>Records</h3>
        <p className="quiet">The records of this deployment were removed.</p>
      </section>
    )
  if (failure !== undefined && value === undefined) return <FailureNote failure={failure} />
  if (value === undefined) return <p className="quiet">Reading the records…</p>
  if (value.items.length === 0)
    return (
      <section>
        <h3>Records</h3>
        <p className="quiet">The engine settled this step by itself: no provider was called.</p>
      </section>
    )
  return value.items.map(records => (
    <RecordsSection key={records.id} {...{ records }} context={{ ...value, isEnded }} />
  ))
}

function RecordsSection(props: {
  records: ShownRecords
  context: RecordsWithLimits & { readonly isEnded: boolean }
}) {
  const { records, context } = props
  const { id, op, hook, wait, attempts, times } = records
  const waitText = waitTextOf(wait, context)
  return (
    <section className="operation-records">
      <h3>
        Operation {id}: {hook === undefined ? op : `hook ${hook} the call`}
      </h3>
      {times === undefined ? null : <StatusLabel status={stageStatusOf(times)} />}
      {waitText === undefined ? null : (
        <div className="note note-busy">
          <p>{waitText}</p>
          <NeedList wait={wait} />
        </div>
      )}
      <dl className="facts">
        {listFacts(records).map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      {attempts.length === 0 ? null : (
        <ol className="attempts" aria-label="Attempts">
          {attempts.map(attempt => (
            <AttemptItem
              key={attempt.attempt}
              attempt={attempt}
              isRunning={times?.stage === 'running' && attempt === attempts.at(-1)}
            />
          ))}
        </ol>
      )}
    </section>
  )
}

function NeedList({ wait: { operations = [], count = 0 } }: Pick<ShownRecords, 'wait'>) {
  if (operations.length === 0) return null
  const showNeed = (need: NeededOperation) => (
    <li key={need.id}>
      <span title={need.urn}>
        {need.op} <b>{resourceNameOf(need.urn)}</b>
      </span>
      <StatusLabel status={stageStatusOf(need)} />
    </li>
  )
  return (
    <ul className="need-list">
      {operations.map(showNeed)}
      {count > operations.length ? (
        <li>and {formatCount(count - operations.length, 'other operation')}</li>
      ) : null}
    </ul>
  )
}

function AttemptItem({ attempt, isRunning }: { attempt: ShownAttempt; isRunning: boolean }) {
  const { verdict, startedAt, endedAt, pausedMs = 0, error } = attempt
  const status = isRunning ? ({ text: 'running', tone: 'busy' } as const) : verdictStatusOf(verdict)
  return (
    <li>
      <span className="attempt-head">
        <b>Attempt {attempt.attempt}</b> <StatusLabel status={status} />
        {startedAt === undefined || endedAt === undefined ? null : (
          <span className="quiet">
            {formatClock(startedAt)} · {formatSpan(endedAt - startedAt)}
            {pausedMs > 0 ? ` · ${formatSpan(pausedMs)} of pauses` : ''}
          </span>
        )}
      </span>
      {error === undefined ? null : (
        <pre className="attempt-error" tabIndex={0} aria-label="Error of the attempt">
          {error.code === undefined ? '' : `${error.code}: `}
          {stripControls(error.message)}
        </pre>
      )}
    </li>
  )
}

/** Returns the recorded times and counts of an operation as texts. */
function listFacts(records: ShownRecords): readonly (readonly [name: string, text: string])[] {
  const { needs, arrived, givenBack, executor, times } = records
  const facts: readonly (readonly [name: string, text: string | undefined])[] = [
    ['Arrivals', needs === 0 ? undefined : `${arrived} of ${needs}`],
    ...(times === undefined ? [] : listTimes(times)),
    ['Given back', givenBack === 0 ? undefined : formatCount(givenBack, 'attempt')],
    ['Executor', executor === '' ? undefined : executor],
  ]
  return facts.flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as const]))
}

function listTimes(
  times: ShownOperation,
): readonly (readonly [name: string, text: string | undefined])[] {
  const { decidedAt, readyAt, beganAt, endedAt, callMs, slotMs, limitMs, retryMs } = times
  // A shorter time would be shown as `0.0 s`.
  const spanOf = (ms: number): string | undefined => (ms >= 50 ? formatSpan(ms) : undefined)
  return [
    ['Decided', formatClock(decidedAt)],
    ['Waited for operations', readyAt === undefined ? undefined : spanOf(readyAt - decidedAt)],
    ['Began', beganAt === undefined ? undefined : formatClock(beganAt)],
    ['Waited for a slot', spanOf(slotMs)],
    ['Waited for limits', spanOf(limitMs)],
    [
      'Waited in the queue',
      beganAt === undefined || readyAt === undefined
        ? undefined
        : spanOf(beganAt - readyAt - slotMs - limitMs),
    ],
    ['Retries', spanOf(retryMs)],
    ['Provider', spanOf(callMs)],
    ['Ended', endedAt === undefined ? undefined : formatClock(endedAt)],
  ]
}

function formatClock(timeMs: number): string {
  return new Date(timeMs).toLocaleTimeString()
}
