import { messageOf } from '../../errors/error.ts'
import type { CatalogPort } from '../../ports/catalog.ts'
import type { ChainQueuePort, NudgesPort } from '../../ports/queue.ts'
import type {
  BlobsPort,
  ControlPort,
  DecisionLogPort,
  LeasesPort,
  OperationsPort,
} from '../../ports/records.ts'
import type { ClockPort, RandomPort } from '../../ports/system.ts'
import { keepTrying } from './keep-trying.ts'
import { isClosedHere, producerOf, whoseError } from '../../providers/whose-error.ts'

/** What makes requests patient. */
export interface PatienceDeps {
  readonly clock: ClockPort
  readonly random: Pick<RandomPort, 'bytes'>
  /** Whether a request is still worth it: nobody has given the whole deployment up. */
  readonly isWorthIt: () => boolean
  /** Tells a person, once for each bad spell of the store that lasts. */
  readonly said: (text: string) => void
}

/** Makes requests that are repeated while the store, the queue or the blobs cannot take them. */
export type Patience = <Asked extends readonly unknown[], Answer>(
  request: (...asked: Asked) => Promise<Answer>,
) => (...asked: Asked) => Promise<Answer>

/** A spell that is over sooner is nobody's affair. */
const saidAfterMs = 2_000

/**
 * Makes the patience of one deployment: each request that throws STORE_UNAVAILABLE is repeated as
 * `whoseError.store` says, then throws what it threw last. All calls of ports may be repeated.
 * Source: docs/reliability.md#whose-error.
 */
export function createPatience(deps: PatienceDeps): Patience {
  const { clock, random, isWorthIt } = deps
  /** Since when requests have been refused, without one that was taken. */
  let sinceMs: number | undefined
  let isSaid = false
  const refused = (why: string): void => {
    const nowMs = clock.monotonicMs()
    sinceMs ??= nowMs
    if (isSaid || nowMs - sinceMs < saidAfterMs) return
    isSaid = true
    deps.said(`the store cannot be used at the moment, and is asked again: ${why}`)
  }
  return request =>
    (...asked) =>
      keepTrying(
        { clock, random, isWorthIt, again: whoseError.store.again, said: () => undefined },
        async () => {
          try {
            const answer = await request(...asked)
            sinceMs = undefined
            isSaid = false
            return answer
          } catch (thrown) {
            if (producerOf(thrown) === 'store' && !isClosedHere(thrown)) refused(messageOf(thrown))
            throw thrown
          }
        },
      )
}

/** The ports of records, queue and nudges that a generator asks. */
interface Records {
  readonly log: DecisionLogPort
  readonly operations: OperationsPort
  readonly control: ControlPort
  readonly leases: LeasesPort
  readonly catalog: CatalogPort
  readonly blobs: BlobsPort
  readonly chains: ChainQueuePort
  readonly nudges: NudgesPort
}

/**
 * The same ports, patient. Left as they are: what is asked again anyway (receive, extend,
 * renewals), what is only a help, and the give back, whose caller is patient itself.
 */
export function patientPorts<Ports extends Records>(ports: Ports, patient: Patience): Ports {
  const { log, control, leases, chains } = ports
  return {
    ...ports,
    log: { append: patient(log.append), read: patient(log.read) },
    operations: patientOperations(ports.operations, patient),
    control: {
      create: patient(control.create),
      read: patient(control.read),
      stop: patient(control.stop),
      handOver: patient(control.handOver),
      hold: patient(control.hold),
      close: patient(control.close),
    },
    leases: {
      ...leases,
      register: patient(leases.register),
      retire: patient(leases.retire),
      leave: patient(leases.leave),
      list: patient(leases.list),
    },
    catalog: patientCatalog(ports.catalog, patient),
    blobs: { put: patient(ports.blobs.put), get: patient(ports.blobs.get) },
    chains: { ...chains, send: patient(chains.send), remove: patient(chains.remove) },
    nudges: { ...ports.nudges, nudge: patient(ports.nudges.nudge) },
  }
}

function patientOperations(operations: OperationsPort, patient: Patience): OperationsPort {
  return {
    ...operations,
    arrive: patient(operations.arrive),
    begin: patient(operations.begin),
    lapse: patient(operations.lapse),
    putOutcome: patient(operations.putOutcome),
    outcome: patient(operations.outcome),
    select: patient(operations.select),
    heads: patient(operations.heads),
    ends: patient(operations.ends),
  }
}

function patientCatalog(catalog: CatalogPort, patient: Patience): CatalogPort {
  return {
    ...catalog,
    stack: patient(catalog.stack),
    start: patient(catalog.start),
    publish: patient(catalog.publish),
    release: patient(catalog.release),
    putLate: patient(catalog.putLate),
    late: patient(catalog.late),
    removeLate: patient(catalog.removeLate),
    slow: patient(catalog.slow),
  }
}
