/**
 * terraform/adoption: the resources of a Terraform state as states of Pulumi's resources. Imports
 * errors, names, states, provider errors, terraform/driver and terraform/values.
 *
 * Invariants: no object is read or changed at its provider. Values keep all digits, and private
 * data all bytes. Each part of the state that is not adopted is reported with a reason.
 */
import { createError } from '../../../errors/error.ts'
import {
  type LosslessJson,
  type LosslessObject,
  isLosslessArray,
  isLosslessObject,
  parseLosslessJson,
} from '../values/lossless-json.ts'
import { createFieldReader, type FieldReader } from './field-reader.ts'
import { readInstances, type StateInstance } from './state-instances.ts'

/** A state of Terraform or OpenTofu, format version 4. */
export interface TerraformState {
  /** The version of the program that wrote the state, '' if the state does not name it. */
  readonly terraformVersion: string
  readonly instances: readonly StateInstance[]
  /** The names of the root module's outputs. */
  readonly outputs: readonly string[]
  /** The addresses of the `check` blocks whose results the state has. */
  readonly checks: readonly string[]
}

/** The only supported version of the format. Terraform 0.12 and later write it. */
const stateVersion = 4

/**
 * Reads a state. `file` names it in errors. Throws TERRAFORM_STATE_INVALID for a truncated or
 * malformed file, TERRAFORM_STATE_UNSUPPORTED for another version and for an encrypted state, and
 * TERRAFORM_STATE_REMOTE for the settings of a backend. Terraform writes these settings to
 * `.terraform/terraform.tfstate` in an older version of the format, without resources.
 */
export function readTfstate(text: string, file: string): TerraformState {
  const json = parseLosslessJson(text)
  if (json === undefined) throw createStateError(file, describeBrokenJson(text))
  if (!isLosslessObject(json)) throw createStateError(file, 'it is not a JSON object')
  requireSupported(json, file)
  const reader = createFieldReader(problem => createStateError(file, problem))
  return {
    terraformVersion: reader.readOptionalText(json, 'terraform_version', 'the state') ?? '',
    instances: reader
      .readObjects(json, 'resources', 'the state')
      .flatMap((resource, index) => readInstances(reader, resource, index)),
    outputs: [...reader.readOptionalObject(json, 'outputs', 'the state').keys()],
    checks: readChecks(reader, json),
  }
}

function describeBrokenJson(text: string): string {
  if (text.trim() === '') return 'it is empty'
  return /[\]}]\s*$/.test(text) ? 'it is not valid JSON' : 'it is truncated, or not JSON at all'
}

function requireSupported(json: LosslessObject, file: string): void {
  if (isPresent(json.get('encrypted_data')))
    throw createError('TERRAFORM_STATE_UNSUPPORTED', `the state in ${file} is encrypted`, {
      hint: 'Write a copy that is not encrypted with `tofu state pull > plain.tfstate`, and adopt that file.',
    })
  const version = readVersion(json)
  if (version === undefined)
    throw createStateError(
      file,
      isPresent(json.get('version'))
        ? "its 'version' is not an integer"
        : "it has no 'version', so it is not a state",
    )
  if (version < stateVersion && isPresent(json.get('backend'))) throw createRemoteError(file, json)
  if (version < stateVersion)
    throw createError(
      'TERRAFORM_STATE_UNSUPPORTED',
      `the state in ${file} has format version ${version}, but only version ${stateVersion} is supported`,
      {
        hint: 'Run `terraform refresh` with Terraform 0.12 or later: it rewrites the state.',
      },
    )
  if (version > stateVersion)
    throw createError(
      'TERRAFORM_STATE_UNSUPPORTED',
      `the state in ${file} has format version ${version}, which is newer than version ${stateVersion}`,
      { hint: 'Use a newer antichain.' },
    )
}

function readVersion(json: LosslessObject): number | undefined {
  const version = json.get('version')
  const isNumber = typeof version === 'object' && version !== null && 'source' in version
  return isNumber && /^\d{1,9}$/.test(version.source) ? Number(version.source) : undefined
}

/** Creates the error for a file with the settings of a backend instead of resources. */
export function createRemoteError(file: string, settings: LosslessObject): Error {
  const backend = settings.get('backend')
  const type = backend !== undefined && isLosslessObject(backend) ? backend.get('type') : undefined
  const name = typeof type === 'string' ? `backend '${type}'` : 'remote backend'
  return createError('TERRAFORM_STATE_REMOTE', `the state is in a ${name}, as ${file} says`)
}

/**
 * Returns the addresses of `check` blocks. Checks that are part of a resource or an output are left
 * out.
 */
function readChecks(reader: FieldReader, json: LosslessObject): readonly string[] {
  if (!isPresent(json.get('check_results'))) return []
  return reader.readObjects(json, 'check_results', 'the state').flatMap(check => {
    const address = reader.readOptionalText(check, 'config_addr', 'a check result')
    const isCheckBlock = reader.readOptionalText(check, 'object_kind', 'a check result') === 'check'
    return address === undefined || !isCheckBlock ? [] : [address]
  })
}

/** Reports whether a field is neither absent nor null nor an empty list. */
function isPresent(json: LosslessJson | undefined): boolean {
  return json !== undefined && json !== null && !(isLosslessArray(json) && json.length === 0)
}

function createStateError(file: string, problem: string): Error {
  return createError(
    'TERRAFORM_STATE_INVALID',
    `cannot read the Terraform state in ${file}: ${problem}`,
  )
}
