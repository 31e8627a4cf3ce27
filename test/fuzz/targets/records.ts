import { gzipSync } from 'node:zlib'
import { createError } from '../../../shared/errors/error.ts'
import { parseDocumentItem } from '../../../shared/platform/aws/dynamo/documents.ts'
import { parseHeadItem } from '../../../shared/platform/aws/dynamo/head-write-conditions.ts'
import {
  parseHistoryItem,
  parseStackItem,
} from '../../../shared/platform/aws/dynamo/stack-record.ts'
import { parseEventLines } from '../../../shared/platform/aws/dynamo/events.ts'
import { createCatalog } from '../../../shared/platform/embedded/catalog.ts'
import { createDecisionLog } from '../../../shared/platform/embedded/decision-log.ts'
import { createOperations } from '../../../shared/platform/embedded/operations.ts'
import type { StoreCall } from '../../../shared/platform/embedded/store/methods/store-methods.ts'
import {
  withLargeDecisions,
  withLargeLateOutcomes,
  withLargeOutcomes,
} from '../../../shared/platform/records/large-records.ts'
import { parseStoredRequest } from '../../../shared/platform/records/request-text.ts'
import type { BlobsPort } from '../../../shared/ports/records.ts'
import type { DeploymentId, LogNumber, OperationId } from '../../../shared/records/ids.ts'
import { stackIdOf } from '../../../shared/records/ids.ts'
import type { LogRecord } from '../../../shared/records/log.ts'
import { type FuzzTarget, requireLaw } from '../fuzz-target.ts'

const stack = stackIdOf('shop', 'dev')
const deployment = `${stack}#1` as DeploymentId
const operation = 1 as OperationId

/** Returns a call of the store that has the same answer for every method. */
const createCall = (answer: unknown): StoreCall => (async () => answer) as unknown as StoreCall

/** Returns a blob store with the same bytes under every name. */
const createBlobs = (text: string): BlobsPort =>
  ({ get: async () => Buffer.from(text) }) as unknown as BlobsPort

function checkDecisions(records: readonly LogRecord[]): void {
  const areDecisions = records.every(
    ({ decisions }) =>
      Array.isArray(decisions) && decisions.every(({ kind }) => typeof kind === 'string'),
  )
  requireLaw(areDecisions, 'a log record has a list of decisions')
}

const readLog = (text: string): Promise<readonly LogRecord[]> =>
  createDecisionLog(createCall({ texts: [text], more: false })).read(deployment, 0 as LogNumber, 1)

/** The readers of records: the adapters of this machine and of AWS over a store with one record. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  log: async text => checkDecisions(await readLog(text)),
  outcome: text => createOperations(createCall(text)).getOutcome(deployment, operation, 1),
  late: text =>
    createCatalog(createCall([text]), { uuid: () => '' } as never).listLateOutcomes(stack, 1),
  request: text => parseStoredRequest(stack, { key: 'key', request: text, end: text }),
  history: text =>
    parseHistoryItem(stack, { sk: { S: '0000000001' }, begun: { S: text }, ended: { S: text } }),
  document: text =>
    parseDocumentItem({ kind: 'webhook', scope: '*', name: 'a' }, { value: { S: text } }),
  stack: text => parseStackItem(stack, { snapshot: { S: text }, version: { N: text } }),
  head: text =>
    parseHeadItem(deployment, operation, { verdict: { S: text }, attempt: { N: text } }),
  events: text => {
    const lines = parseEventLines(deployment, {
      sk: { S: '0000000001' },
      lines: { B: gzipSync(text) },
    })
    requireLaw(
      lines.every(line => typeof line === 'string'),
      'events are lines of text',
    )
  },
  'large-decisions': async text => {
    const log = createDecisionLog(createCall({ texts: [largeRecord], more: false }))
    const decisionLog = withLargeDecisions(log, createBlobs(text))
    checkDecisions(await decisionLog.read(deployment, 0 as LogNumber, 1))
  },
  'large-outcome': text =>
    withLargeOutcomes(createOperations(createCall(largeOutcome)), createBlobs(text)).getOutcome(
      deployment,
      operation,
      1,
    ),
  'large-views': text =>
    withLargeOutcomes(createOperations(createCall(largeViews)), createBlobs(text)).getOutcome(
      deployment,
      operation,
      1,
    ),
  'large-late': text =>
    withLargeLateOutcomes(
      createCatalog(createCall([largeLate]), { uuid: () => '' } as never),
      createBlobs(text),
    ).listLateOutcomes(stack, 1),
}

const blob = 'a'.repeat(64)
const largeRecord = JSON.stringify({ number: 0, writer: 'w', decisions: [], decisionsBlob: blob })
const largeOutcome = JSON.stringify({
  operation: 1,
  attempt: 1,
  verdict: 'succeeded',
  stateBlob: blob,
})
const largeViews = JSON.stringify({
  operation: 1,
  attempt: 1,
  verdict: 'succeeded',
  viewsBlob: blob,
})
const largeLate = JSON.stringify({ deployment, state: {}, stateBlob: blob })

/** Records: a line with the kind of the record, and its JSON. */
export const recordsTarget: FuzzTarget = {
  decode(input) {
    const [kind = '', ...lines] = new TextDecoder().decode(input).split('\n')
    const read = Object.hasOwn(readers, kind) ? readers[kind] : undefined
    if (read === undefined) throw createError('RECORD_DAMAGED', 'the input has no kind of record')
    return read(lines.join('\n'))
  },
}
