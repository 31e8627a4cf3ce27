import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { isRecord } from '../is-record.ts'
import { createError, messageOf } from '../../errors/error.ts'

/** The contents of a policy pack's project file. */
export interface PolicyProject {
  readonly runtime: string
  readonly runtimeOptions: Readonly<Record<string, unknown>>
  /** '' = the version that the pack reports. */
  readonly version: string
  /** The entry point inside the folder, '' = the folder itself. */
  readonly main: string
}

/** Reads the PulumiPolicy.yaml of a folder. Throws POLICY_PACK_FAILED. */
export function readPolicyProject(folder: string): PolicyProject {
  const file = join(folder, 'PulumiPolicy.yaml')
  const content = readContent(file)
  const { runtime: declaredRuntime } = content
  const runtimeSection = isRecord(declaredRuntime) ? declaredRuntime : { name: declaredRuntime }
  const runtime = runtimeSection['name']
  if (typeof runtime !== 'string' || runtime === '')
    throw createPolicyFileError(file, 'does not set a runtime')
  const options = runtimeSection['options']
  return {
    runtime,
    runtimeOptions: isRecord(options) ? options : {},
    version: toText(content['version']),
    main: toText(content['main']),
  }
}

function readContent(file: string): Readonly<Record<string, unknown>> {
  let content: unknown
  try {
    content = parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw createPolicyFileError(file, `cannot be read: ${messageOf(cause)}`)
  }
  if (isRecord(content)) return content
  throw createPolicyFileError(file, 'does not contain a map')
}

function toText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function createPolicyFileError(file: string, problem: string): Error {
  return createError('POLICY_PACK_FAILED', `the policy pack's file ${file} ${problem}`)
}
