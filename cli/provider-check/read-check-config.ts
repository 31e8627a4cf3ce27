import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import * as z from 'zod'
import { createError, messageOf } from '../../shared/errors/error.ts'
import type { CheckConfig } from '../../shared/providers/check/check-request.ts'
import { parseJson } from '../../shared/values/parse-json.ts'
import { emptyMap, type PropertyMap } from '../../shared/values/value.ts'
import { decodeWire } from '../../shared/values/decode-wire.ts'
import { createRecordForm } from '../../shared/values/record-form.ts'

const inputsForm = createRecordForm(z.unknown())

const configForm = z.record(z.string(), z.union([inputsForm, z.array(inputsForm)]))

/** The key of the configuration of the provider. */
const providerKey = 'provider'

/**
 * Reads the configurations of a check: type token → list of inputs, and `provider` → inputs.
 * Returns empty ones if no file is named. Throws CLI_USAGE for a file that is missing or invalid.
 */
export function readCheckConfig(cwd: string, file: string | undefined): CheckConfig {
  if (file === undefined) return { provider: emptyMap, types: new Map() }
  const path = resolve(cwd, file)
  const parsed = configForm.safeParse(parseJson(readConfigText(path)))
  if (!parsed.success)
    throw createError(
      'CLI_USAGE',
      `${path} must be a JSON object of the form {"<type>": [{<inputs>}], "${providerKey}": {<inputs>}}`,
    )
  const { [providerKey]: provider = {}, ...types } = parsed.data
  const [providerInputs = {}] = toList(provider)
  return {
    provider: toProperties(path, providerInputs),
    types: new Map(
      Object.entries(types).map(([token, inputs]) => [
        token,
        toList(inputs).map(item => toProperties(path, item)),
      ]),
    ),
  }
}

function readConfigText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw createError('CLI_USAGE', `cannot read --config: ${messageOf(cause)}`, { cause })
  }
}

type Inputs = z.infer<typeof inputsForm>

function toList(inputs: Inputs | Inputs[]): readonly Inputs[] {
  return Array.isArray(inputs) ? inputs : [inputs]
}

/** Converts inputs. Special values, such as secrets, have the same form as in states. */
function toProperties(path: string, inputs: Inputs): PropertyMap {
  try {
    return decodeWire(inputs, {
      unknowns: 'reject',
      secrets: true,
      references: true,
      outputs: true,
      allowsByteStrings: true,
    })
  } catch (cause) {
    throw createError('CLI_USAGE', `${path} has an invalid value: ${messageOf(cause)}`, { cause })
  }
}
