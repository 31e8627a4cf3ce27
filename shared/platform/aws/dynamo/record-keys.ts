import { createHash } from 'node:crypto'
import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import type { DocumentKey } from '../../../ports/documents.ts'
import type { DeploymentId, StackId } from '../../../records/ids.ts'
import type { Key } from './table/item.ts'

/**
 * Where each record is. A partition takes 1,000 writes per second, so what a wide deployment writes
 * at once has a partition of its own for each operation. Numbers are padded: keys sort as texts.
 */

const digits = 12

const padNumber = (number: number): string => String(number).padStart(digits, '0')

/** Milliseconds since 1970 as the beginning of a key. */
export const padTime = (at: number): string => String(at).padStart(16, '0')

/** A text from outside as a part of a key, of which DynamoDB takes 1,024 bytes. */
const shortenKeyText = (text: string): string =>
  Buffer.byteLength(text) <= limits.keyTextBytesMax
    ? text
    : `sha256 ${createHash('sha256').update(text).digest('hex')}`

/** The number in a padded key. */
export const parsePaddedNumber = (sort: string): number => Number(sort)

/** Records of the journal. */
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
  /** Says that operations of these numbers may have records. */
  block: (deployment: DeploymentId, block: number): Key => ({
    pk: `blocks ${deployment}`,
    sk: padNumber(block),
  }),
  control: (deployment: DeploymentId): Key => ({ pk: `control ${deployment}`, sk: 'control' }),
  lease: (deployment: DeploymentId, executor: string): Key => ({
    pk: `leases ${deployment}`,
    sk: executor,
  }),
  chunk: (deployment: DeploymentId, chunk: number): Key => ({
    pk: `events ${deployment}`,
    sk: padNumber(chunk),
  }),
  writer: (deployment: DeploymentId, writer: string): Key => ({
    pk: `writers ${deployment}`,
    sk: writer,
  }),
  /** Ends of a moment, for whoever waits; `at`: a padded time, and what tells two of one apart. */
  hint: (deployment: DeploymentId, at: string): Key => ({ pk: `hints ${deployment}`, sk: at }),
  /** What came late for a stack: not a part of any deployment's records. */
  late: (stack: StackId, key: string): Key => ({ pk: `late ${stack}`, sk: key }),
  slow: (stack: StackId, key: string): Key => ({ pk: `slow ${stack}`, sk: key }),
} as const

/** Records of the catalog. */
export const catalogKeys = {
  stack: (stack: StackId): Key => ({ pk: `stack ${stack}`, sk: 'stack' }),
  /** The list of all stacks: one partition, written when a stack comes or goes. */
  listed: (stack: string): Key => ({ pk: 'stacks', sk: stack }),
  /** The list of deployments that may have records. */
  kept: (deployment: string): Key => ({ pk: 'deployments', sk: deployment }),
  history: (stack: StackId, number: number): Key => ({
    pk: `history ${stack}`,
    sk: padNumber(number),
  }),
  version: (stack: StackId, version: number): Key => ({
    pk: `versions ${stack}`,
    sk: padNumber(version),
  }),
  /** What its stack asks for, in one partition: who holds which key, and what waits, in order. */
  request: (stack: StackId, key: string): Key => ({
    pk: `requests ${stack}`,
    sk: `key ${shortenKeyText(key)}`,
  }),
  waiting: (stack: StackId, position: number): Key => ({
    pk: `requests ${stack}`,
    sk: `waiting ${padNumber(position)}`,
  }),
  /** How many requests were ever put. */
  lastRequest: (stack: StackId): Key => ({ pk: `requests ${stack}`, sk: 'last' }),
  program: (stack: StackId): Key => ({ pk: `requests ${stack}`, sk: 'program' }),
  /** The list of stacks that ever asked for anything: they need not exist. */
  asking: (stack: string): Key => ({ pk: 'asking', sk: stack }),
  /** The list of requests that have ended, by the time at which they were made. */
  ended: (at: number, stack: string, key: string): Key => ({
    pk: 'ended requests',
    sk: `${padTime(at)} ${shortenKeyText(`${stack} ${key}`)}`,
  }),
  document: ({ kind, scope, name }: DocumentKey): Key => ({
    pk: `documents ${kind}`,
    sk: `${scope} ${name}`,
  }),
  mark: (key: string): Key => ({ pk: `mark ${shortenKeyText(key)}`, sk: 'mark' }),
  /** The audit log: a day has several partitions, which share what is written in it. */
  audit: (at: {
    readonly day: number
    readonly shard: number
    readonly position: number
  }): Key => ({
    pk: `audit ${at.day} ${at.shard}`,
    sk: padTime(at.position),
  }),
  /** The list of days that have entries. */
  auditDay: (day: number): Key => ({ pk: 'audit days', sk: padNumber(day) }),
  /** Says that the entry of an id is there. */
  audited: (id: string): Key => ({ pk: `audited ${shortenKeyText(id)}`, sk: 'audited' }),
} as const
