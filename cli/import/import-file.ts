import { readFileSync, statSync } from 'node:fs'
import * as z from 'zod'
import { limits } from '../../shared/config/limits.ts'
import { DeployError, createError, messageOf } from '../../shared/errors/error.ts'
import type { ImportParameterization } from '../../shared/records/imported-resource.ts'
import type { PackageParameterization } from '../../shared/records/package-parameterization.ts'
import type { JsonObject } from '../../shared/values/value-codec.ts'
import { parseForm } from '../../shared/values/parse-form.ts'
import { createRecordForm, jsonForm } from '../../shared/values/record-form.ts'

/** One resource of an import file. Omitted texts are '', lists are empty, and flags are false. */
export interface ImportSpec {
  readonly type: string
  /** The name in the file and in the generated program. */
  readonly name: string
  readonly id: string
  readonly parent: string
  readonly provider: string
  readonly version: string
  readonly pluginDownloadUrl: string
  /** The properties that the user selected. The import adopts all; they only affect a warning. */
  readonly properties: readonly string[]
  readonly component: boolean
  readonly remote: boolean
  /** The name in the URN of the resource, if it differs from `name`. */
  readonly logicalName: string
  readonly inputs: JsonObject | undefined
  readonly outputs: JsonObject | undefined
  /** The parameters of the plugin that serves the package of the resource. */
  readonly parameterization?: ImportParameterization | undefined
  /** The extension that the provider of the resource requires. */
  readonly extension?: PackageParameterization | undefined
}

/** An import file: the resources to import, and names for existing URNs. */
export interface ImportFile {
  readonly nameTable: Readonly<Record<string, string>>
  readonly resources: readonly ImportSpec[]
  /** The configuration of each provider, by its name. */
  readonly providerInputs: Readonly<Record<string, JsonObject>>
}

const optionalText = z.string().nullish()
const optionalJsonObjectForm = createRecordForm(jsonForm)
  .nullish()
  .transform(value => value ?? undefined)
const textOrEmpty = optionalText.transform(value => value ?? '')
/** Bytes as base64 text, '' if omitted. */
const base64OrEmpty = z
  .base64()
  .nullish()
  .transform(value => value ?? '')
const booleanForm = z
  .boolean()
  .nullish()
  .transform(value => value ?? false)

const importFileForm = z.object({
  nameTable: createRecordForm(z.string())
    .nullish()
    .transform(value => value ?? {}),
  resources: z
    .array(
      z.object({
        type: textOrEmpty,
        name: textOrEmpty,
        id: textOrEmpty,
        parent: textOrEmpty,
        provider: textOrEmpty,
        version: textOrEmpty,
        pluginDownloadUrl: textOrEmpty,
        properties: z
          .array(z.string())
          .nullish()
          .transform(value => value ?? []),
        component: booleanForm,
        remote: booleanForm,
        logicalName: textOrEmpty,
        inputs: optionalJsonObjectForm,
        outputs: optionalJsonObjectForm,
        parameterization: z
          .object({ pluginName: textOrEmpty, pluginVersion: textOrEmpty, value: base64OrEmpty })
          .nullish()
          .transform(value => value ?? undefined),
        extension: z
          .object({ name: textOrEmpty, version: textOrEmpty, value: base64OrEmpty })
          .nullish()
          .transform(value => value ?? undefined),
      }),
    )
    .max(limits.importResourcesMax)
    .nullish()
    .transform(value => value ?? []),
  providerInputs: createRecordForm(createRecordForm(jsonForm))
    .nullish()
    .transform(value => (value ?? {}) as Readonly<Record<string, JsonObject>>),
})

/** Reads an import file. Throws FILE_UNREADABLE, CLI_USAGE. */
export function readImportFile(path: string): ImportFile {
  return parseImportFile(readImportText(path), path)
}

/** Parses an import file. Throws CLI_USAGE. */
export function parseImportFile(text: string, path: string): ImportFile {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    throw createError('CLI_USAGE', `could not read import file: ${path}: ${messageOf(cause)}`, {
      cause,
    })
  }
  const parsed = parseForm(importFileForm, json)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const location = [path, ...(issue?.path.length === 0 ? [] : [issue?.path.join('.')])].join(': ')
    throw createError('CLI_USAGE', `could not read import file: ${location}: ${issue?.message}`)
  }
  return parsed.data
}

function readImportText(path: string): string {
  try {
    const { size } = statSync(path)
    if (size > limits.importFileBytesMax)
      throw createError(
        'CLI_USAGE',
        `${path} has ${size} bytes; the limit is ${limits.importFileBytesMax} bytes`,
      )
    return readFileSync(path, 'utf8')
  } catch (cause) {
    if (cause instanceof DeployError) throw cause
    throw createError('FILE_UNREADABLE', `could not read import file: ${messageOf(cause)}`, {
      cause,
    })
  }
}
