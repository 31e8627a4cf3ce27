import { createHash } from 'node:crypto'
import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import type { DocumentKey } from '../../../ports/documents.ts'
import type { DeploymentId, StackId } from '../../../records/ids.ts'
import type { Key } from './table/item.ts'

/** Digits of a padded number. Numbers are padded, because keys sort as texts. */
const numberDigits = 12

const padNumber = (number: number): string => String(number).padStart(numberDigits, '0')

/** Pads milliseconds since 1970, or a position of the audit log, for a sort key. */
export const padTime = (ms: number): string => String(ms).padStart(16, '0')

/** Replaces a long external text by its hash. DynamoDB limits a sort key to 1,024 bytes. */
const shortenKeyText = (text: string): string =>
  Buffer.byteLength(text) <= limits.keyTextBytesMax
    ? text
    : `sha256 ${createHash('sha256').update(text).digest('hex')}`

/** Parses the number of a padded key. */
export const parsePaddedNumber = (sortKey: string): number => Number(sortKey)

/**
 * Keys of journal records. A partition accepts 1,000 writes per second, so each operation has its
 * own partition.
 */
export const journalKeys = {
  log: (deployment: DeploymentId, number: number): Key => ({
    pk: `log ${deployment}`,
    sk: padNumber(number),
  }),
  head: (deployment: DeploymentId, operation: number): Key => ({
    pk: `operation ${deployment} ${operation}`,
    sk: 'head',
  }),
  outcome: (deployment: DeploymentId, operation: number, attempt: number): Key => ({
    pk: `operation ${deployment} ${operation}`,
    sk: `outcome ${padNumber(attempt)}`,
  }),
  /** The entry of a block of operation ids. Only operations in such blocks have records. */
  block: (deployment: DeploymentId, block: number): Key => ({
    pk: `blocks ${deployment}`,
    sk: padNumber(block),
  }),
  control: (deployment: DeploymentId): Key => ({ pk: `control ${deployment}`, sk: 'control' }),
  lease: (deployment: DeploymentId, executor: string): Key => ({
    pk: `leases ${deployment}`,
    sk: executor,
  }),
  /** The usage of one call. `call`: the part of the installation, and the id of the call. */
  usage: (deployment: DeploymentId, call: string): Key => ({
    pk: `usage ${deployment}`,
    sk: call,
  }),
  chunk: (deployment: DeploymentId, chunk: number): Key => ({
    pk: `events ${deployment}`,
    sk: padNumber(chunk),
  }),
  writer: (deployment: DeploymentId, writer: string): Key => ({
    pk: `writers ${deployment}`,
    sk: writer,
  }),
  /**
   * The hints that a process wrote at one time. `shard`: the partition of the writing process.
   * `timeKey`: a padded time and a unique suffix.
   */
  hint: (deployment: DeploymentId, shard: number, timeKey: string): Key => ({
    pk: `hints ${deployment} ${shard}`,
    sk: timeKey,
  }),
  /** A late outcome of a stack. It does not belong to the records of a deployment. */
  late: (stack: StackId, key: string): Key => ({ pk: `late ${stack}`, sk: key }),
  /** The last recorded duration of a stack's slow operations of one kind. `key`: the kind. */
  slow: (stack: StackId, key: string): Key => ({ pk: `slow ${stack}`, sk: key }),
} as const

/** Keys of catalog records. */
export const catalogKeys = {
  stack: (stack: StackId): Key => ({ pk: `stack ${stack}`, sk: 'stack' }),
  /**
   * A stack in the list of all stacks, which is one partition. The entry is put when the stack is
   * created, and moved by a rename. The entry of a removed stack stays until all records of the
   * stack are removed.
   */
  stackListEntry: (stack: string): Key => ({ pk: 'stacks', sk: stack }),
  /** A deployment in the list of deployments that may have records. */
  deploymentListEntry: (deployment: string): Key => ({ pk: 'deployments', sk: deployment }),
  history: (stack: StackId, number: number): Key => ({
    pk: `history ${stack}`,
    sk: padNumber(number),
  }),
  version: (stack: StackId, version: number): Key => ({
    pk: `versions ${stack}`,
    sk: padNumber(version),
  }),
  /** A request of a stack. All requests of a stack are in one partition. */
  request: (stack: StackId, key: string): Key => ({
    pk: `requests ${stack}`,
    sk: `key ${shortenKeyText(key)}`,
  }),
  /** A waiting request, by its position in the queue. The item under `request` exists too. */
  waitingRequest: (stack: StackId, position: number): Key => ({
    pk: `requests ${stack}`,
    sk: `waiting ${padNumber(position)}`,
  }),
  /** The counter with the position of the last request that was put into the stack's queue. */
  requestCounter: (stack: StackId): Key => ({ pk: `requests ${stack}`, sk: 'last' }),
  /** The approval of a request. */
  approval: (stack: StackId, key: string): Key => ({
    pk: `approvals ${stack}`,
    sk: `key ${shortenKeyText(key)}`,
  }),
  /** The last program of a stack, in the partition of the stack's approvals. */
  program: (stack: StackId): Key => ({ pk: `approvals ${stack}`, sk: 'program' }),
  /**
   * A stack in the list of stacks that ever had a request or a program. A listed stack may no
   * longer exist. The stored name `asking` of the partition is older than the term *request*.
   */
  stackWithRequestsEntry: (stack: string): Key => ({ pk: 'asking', sk: stack }),
  /** A request in the list of ended requests, which is in the order of their creation. */
  endedRequestEntry: (requestedAt: number, stack: string, key: string): Key => ({
    pk: 'ended requests',
    sk: `${padTime(requestedAt)} ${shortenKeyText(`${stack} ${key}`)}`,
  }),
  /**
   * A document. Documents of the kind `call-limit` are in the journal table, in one partition per
   * stack.
   */
  document: ({ kind, scope, name }: DocumentKey): Key => ({
    pk: kind === 'call-limit' ? `limits ${scope}` : `documents ${kind}`,
    sk: `${scope} ${name}`,
  }),
  mark: (key: string): Key => ({ pk: `mark ${shortenKeyText(key)}`, sk: 'mark' }),
  /** An entry of the audit log. A day has several partitions, which share its writes. */
  audit: (entry: {
    readonly day: number
    readonly shard: number
    readonly position: number
  }): Key => ({
    pk: `audit ${entry.day} ${entry.shard}`,
    sk: padTime(entry.position),
  }),
  /** A day in the list of days with audit entries. */
  auditDay: (day: number): Key => ({ pk: 'audit days', sk: padNumber(day) }),
  /** The record that shows that an audit entry with this id exists. */
  auditEntryId: (id: string): Key => ({ pk: `audited ${shortenKeyText(id)}`, sk: 'audited' }),
} as const
