import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { isRecord } from './is-record.ts'
import { error, messageOf } from '../errors/error.ts'

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
  const read = contentOf(file)
  const { runtime: given } = read
  const nested = isRecord(given) ? given : { name: given }
  const runtime = nested['name']
  if (typeof runtime !== 'string' || runtime === '') throw failed(file, 'names no runtime')
  const options = nested['options']
  return {
    runtime,
    runtimeOptions: isRecord(options) ? options : {},
    version: textOf(read['version']),
    main: textOf(read['main']),
  }
}

function contentOf(file: string): Readonly<Record<string, unknown>> {
  let data: unknown
  try {
    data = parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw failed(file, `cannot be read: ${messageOf(cause)}`)
  }
  if (isRecord(data)) return data
  throw failed(file, 'holds no map of keys')
}

function textOf(given: unknown): string {
  return typeof given === 'string' || typeof given === 'number' ? String(given) : ''
}

function failed(file: string, what: string): Error {
  return error('POLICY_PACK_FAILED', `the policy pack's file ${file} ${what}`)
}
