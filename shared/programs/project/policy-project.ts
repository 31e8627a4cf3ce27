import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { isRecord } from '../is-record.ts'
import { error, messageOf } from '../../errors/error.ts'

/** What the file of a policy pack says. */
export interface PolicyProject {
  readonly runtime: string
  readonly runtimeOptions: Readonly<Record<string, unknown>>
  /** '' = the pack's own. */
  readonly version: string
  /** What is run of the folder, '' = itself. */
  readonly main: string
}

/** Reads PulumiPolicy.yaml of a folder. Throws POLICY_PACK_FAILED. */
export function readPolicyProject(folder: string): PolicyProject {
  const file = join(folder, 'PulumiPolicy.yaml')
  const read = readContent(file)
  const { runtime: declaredRuntime } = read
  const nested = isRecord(declaredRuntime) ? declaredRuntime : { name: declaredRuntime }
  const runtime = nested['name']
  if (typeof runtime !== 'string' || runtime === '') throw policyFileError(file, 'names no runtime')
  const options = nested['options']
  return {
    runtime,
    runtimeOptions: isRecord(options) ? options : {},
    version: toText(read['version']),
    main: toText(read['main']),
  }
}

function readContent(file: string): Readonly<Record<string, unknown>> {
  let data: unknown
  try {
    data = parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw policyFileError(file, `cannot be read: ${messageOf(cause)}`)
  }
  if (isRecord(data)) return data
  throw policyFileError(file, 'holds no map of keys')
}

function toText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function policyFileError(file: string, what: string): Error {
  return error('POLICY_PACK_FAILED', `the policy pack's file ${file} ${what}`)
}
