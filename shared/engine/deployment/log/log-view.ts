import * as z from 'zod'
import { createError } from '../../../errors/error.ts'
import type { BlobsPort, DecisionLogPort } from '../../../ports/records.ts'
import type {
  BlobHash,
  DeploymentId,
  EpochMs,
  LogNumber,
  OperationId,
} from '../../../records/ids.ts'
import type { Decision, LogRecord } from '../../../records/log.ts'
import type { Operation } from '../../../records/operation.ts'
import { parseForm } from '../../../values/parse-form.ts'
import { createStringSharer } from '../../../state/stream/share-strings.ts'
import { parseJson } from '../../../values/parse-json.ts'

/** The decision that names the base and the options of an epoch. */
export type Pin = Decision & { readonly kind: 'pin' }

/** The contents of a log up to its end. */
export interface LogView {
  /** The number of the next record. */
  readonly nextNumber: LogNumber
  readonly records: readonly LogRecord[]
  readonly decisions: readonly Decision[]
  /** The pin of the last epoch. Undefined before the first pin. */
  readonly pin: Pin | undefined
  /** The version in the first pin. The close publishes the version after it. */
  readonly version: number
  readonly closing: (Decision & { readonly kind: 'closing' }) | undefined
  /**
   * The time of the closing record. Without a closing record: the time of the last record. The fold
   * uses this time and no clock, so that equal records give an equal snapshot (I6).
   */
  readonly foldAtMs: EpochMs
  /** The plan pages by their hash. */
  readonly pages: ReadonlyMap<BlobHash, readonly Operation[]>
}

/** Maximum number of records per read. */
const recordsPerReadMax = 200

/**
 * Reads the records of a log from `firstNumber` on, in order. Equal texts of the records share
 * their memory, because planned states repeat most of their texts.
 */
export async function readRecords(
  decisionLog: DecisionLogPort,
  deployment: DeploymentId,
  firstNumber: number,
): Promise<readonly LogRecord[]> {
  const records: LogRecord[] = []
  const shareStrings = createStringSharer()
  for (;;) {
    const page = await decisionLog.read(
      deployment,
      (firstNumber + records.length) as LogNumber,
      recordsPerReadMax,
    )
    shareStrings(page)
    records.push(...page)
    if (page.length < recordsPerReadMax) return records
  }
}

/** Reads a whole log with its plan pages. */
export async function readLogView(
  ports: { readonly decisionLog: DecisionLogPort; readonly blobs: BlobsPort },
  deployment: DeploymentId,
): Promise<LogView> {
  const records = await readRecords(ports.decisionLog, deployment, 0)
  const pages = await readPlanPages(
    ports.blobs,
    records.flatMap(record => record.decisions),
  )
  return createLogView(records, pages)
}

/** Creates the view of records whose plan pages were read. */
export function createLogView(
  records: readonly LogRecord[],
  pages: ReadonlyMap<BlobHash, readonly Operation[]>,
): LogView {
  const decisions = records.flatMap(record => record.decisions)
  const pins = decisions.filter(decision => decision.kind === 'pin')
  return {
    nextNumber: records.length as LogNumber,
    records,
    decisions,
    pin: pins.at(-1),
    version: pins[0]?.version ?? 0,
    closing: decisions.find(decision => decision.kind === 'closing'),
    foldAtMs: (records.find(isClosing) ?? records.at(-1))?.at ?? (0 as EpochMs),
    pages,
  }
}

/** Reads the plan pages that decisions name, by their hash. */
export async function readPlanPages(
  blobs: BlobsPort,
  decisions: readonly Decision[],
): Promise<ReadonlyMap<BlobHash, readonly Operation[]>> {
  const pages = new Map<BlobHash, readonly Operation[]>()
  for (const decision of decisions)
    if (decision.kind === 'plan')
      for (const hash of decision.pages) pages.set(hash, await readPlanPage(blobs, hash))
  return pages
}

function isClosing({ decisions }: LogRecord): boolean {
  return decisions.some(decision => decision.kind === 'closing')
}

const pageForm = z.array(
  z.looseObject({ id: z.number(), op: z.string(), urn: z.string(), effect: z.string() }),
)

/** Reads a plan page. Throws STATE_INVALID when the page is damaged. */
export async function readPlanPage(
  blobs: BlobsPort,
  hash: BlobHash,
): Promise<readonly Operation[]> {
  const parsed = parseForm(pageForm, parseJson(Buffer.from(await blobs.get(hash)).toString('utf8')))
  if (!parsed.success) throw createError('STATE_INVALID', `the plan page ${hash} is damaged`)
  return parsed.data as unknown as readonly Operation[]
}

/**
 * Returns the operations that can have heads, in order of decision: joins, hooks, and those that
 * executors run. Settled operations are omitted.
 */
export function listExecutedOperations(
  view: Pick<LogView, 'decisions' | 'pages'>,
): readonly Operation[] {
  return view.decisions.flatMap(decision => {
    if (decision.kind === 'registration') return decision.operations
    if (decision.kind === 'retried') return [decision.operation]
    if (decision.kind === 'plan') return decision.pages.flatMap(hash => view.pages.get(hash) ?? [])
    return []
  })
}

/** Splits operation ids into batches of at most `size` ids. */
export function toIdBatches(
  ids: readonly OperationId[],
  size: number,
): readonly (readonly OperationId[])[] {
  const batches: OperationId[][] = []
  for (let start = 0; start < ids.length; start += size)
    batches.push(ids.slice(start, start + size))
  return batches
}
