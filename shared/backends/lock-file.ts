import * as z from 'zod'
import { type DeployError, createError } from '../errors/error.ts'
import { printCompactJson } from '../state/print-envelope.ts'
import { parseJsonObject } from './checkpoint-file.ts'

/** The holder of a stack's lock, and the time at which the holder took it. */
export interface BackendLock {
  readonly pid: number
  readonly username: string
  readonly hostname: string
  /** The time in the format of RFC 3339. */
  readonly timestamp: string
}

const lockForm = z.looseObject({
  pid: z.number(),
  username: z.string(),
  hostname: z.string(),
  timestamp: z.string(),
})

/** Reads a lock. Throws BACKEND_INVALID. */
export function parseLock(bytes: Uint8Array, key: string): BackendLock {
  try {
    return lockForm.parse(parseJsonObject(bytes, key))
  } catch (cause) {
    throw createError('BACKEND_INVALID', `the object ${key} of the backend is not a lock`, {
      cause,
      hint: 'Remove the lock with `antichain cancel`, if no process uses the stack.',
    })
  }
}

/** Prints a lock, as Pulumi's command line does. */
export function printLock({ pid, username, hostname, timestamp }: BackendLock): Uint8Array {
  return Buffer.from(printCompactJson({ pid, username, hostname, timestamp }))
}

/** Creates the error for a stack that another process has locked. */
export function createLockedError(
  stack: string,
  { pid, username, hostname, timestamp }: BackendLock,
  nowMs: number,
): DeployError {
  const age = describeAge(nowMs - Date.parse(timestamp))
  return createError(
    'BACKEND_LOCKED',
    `the stack is currently locked by ${username}@${hostname} (process ${pid}) since ${timestamp}, ${age}: ${stack}`,
    { details: { pid, username, hostname, timestamp } },
  )
}

/** Difference of two clocks that is no reason for a message, in ms. */
const clockToleranceMs = 5_000

/** Describes an age for a message. A clock that is wrong can make an age negative. */
function describeAge(ageMs: number): string {
  if (Number.isNaN(ageMs)) return 'for an unknown time'
  if (ageMs < -clockToleranceMs) return 'which is later than the time of this machine'
  const seconds = Math.floor(Math.max(0, ageMs) / 1000)
  if (seconds < 120) return `${seconds} s ago`
  if (seconds < 7200) return `${Math.floor(seconds / 60)} minutes ago`
  return seconds < 172_800
    ? `${Math.floor(seconds / 3600)} hours ago`
    : `${Math.floor(seconds / 86_400)} days ago`
}
