import { apiLimits } from '../config/api-limits.ts'
import { createEventFilter, type EventSelection } from '../engine/events/event-filter.ts'
import type { DeploymentId, EpochMs } from '../records/ids.ts'
import type { ServicePorts } from './service-route.ts'

const eventsPerPage = 500
/** Maximum number of pages that one call reads until it finds an event of a selection. */
const readPagesMax = 20
/** A token: the position of the next event, and `s` if the summary was read. */
const tokenPattern = /^(\d{1,15})(s?)$/

/** The place of the events of an update, and whether more events can arrive. */
export interface UpdateEventSource {
  readonly id: DeploymentId
  readonly isOver: boolean
  /** The time of the end. Absent for an update that runs, or whose events are all stored. */
  readonly endedAt?: EpochMs | undefined
}

/**
 * A page of events. `next` is absent when the update is over and every event was read. With
 * `hasMore`, further events may be stored already.
 */
export interface EventPage {
  readonly events: readonly Readonly<Record<string, unknown>>[]
  readonly hasMore: boolean
  readonly next?: string
}

/**
 * Reads a page with the events of a selection. Pages without such events are skipped, because
 * clients read only one page by default.
 */
export async function readSelectedEvents(
  ports: Pick<ServicePorts, 'events' | 'clock'>,
  source: UpdateEventSource,
  { token, selection }: { readonly token: string; readonly selection: EventSelection },
): Promise<EventPage> {
  const isSelected = createEventFilter(selection)
  let next = token
  for (let pages = 1; ; pages += 1) {
    const page = await readEventPage(ports, source, next)
    const events = page.events.filter(isSelected)
    const isLastRead = page.next === undefined || !page.hasMore || pages === readPagesMax
    if (events.length > 0 || isLastRead) return { ...page, events }
    next = page.next
  }
}

/**
 * Reads a page of events in order of arrival. The last events of a deployment can arrive after its
 * end. So the token tells whether the summary was read. Without the summary, more pages follow
 * until `lateEventsMs` after the end. A client that gets no summary counts a failed deployment as
 * succeeded.
 */
export async function readEventPage(
  { events, clock }: Pick<ServicePorts, 'events' | 'clock'>,
  { id, isOver, endedAt }: UpdateEventSource,
  token: string,
): Promise<EventPage> {
  const [, position = '0', flag = ''] = tokenPattern.exec(token) ?? []
  const page = await events.read(id, Number(position), eventsPerPage)
  const pageEvents = page.events.map(line => JSON.parse(line) as Readonly<Record<string, unknown>>)
  const hasSummary = flag !== '' || pageEvents.some(event => 'summaryEvent' in event)
  const mayGetLateEvents = endedAt !== undefined && clock.now() - endedAt <= apiLimits.lateEventsMs
  const isComplete = isOver && !page.hasMore && (hasSummary || !mayGetLateEvents)
  return {
    events: pageEvents,
    hasMore: page.hasMore,
    ...(isComplete ? {} : { next: `${page.cursor}${hasSummary ? 's' : ''}` }),
  }
}
