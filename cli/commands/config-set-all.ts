import * as z from 'zod'
import { createError, messageOf } from '../../shared/errors/error.ts'
import {
  type ConfigTree,
  isContainer,
  toConfigTree,
} from '../../shared/programs/config/config-tree.ts'
import { type StackConfig, writeStackConfig } from '../../shared/programs/config/stack-config.ts'
import type { Json } from '../../shared/values/json.ts'
import type { Handler } from '../arguments/handler.ts'
import { putConfigValue, parseConfigEditKey } from '../config/edit-config.ts'
import { openStackFile, openStackManager } from '../stack/stack-secrets.ts'
import { parseForm } from '../../shared/values/parse-form.ts'
import { createRecordForm, jsonForm } from '../../shared/values/record-form.ts'

/** The output of `config --json`. */
const configJsonForm = createRecordForm(
  z.object({
    value: z.string().optional(),
    objectValue: jsonForm.optional(),
    secret: z.boolean().default(false),
  }),
)

/**
 * `config set-all`: sets the values of --plaintext and --secret, or those of a JSON text in the
 * format of `config --json`. If one value is invalid, nothing is written.
 */
export const setAllConfig: Handler = async (session, flags, [json]) => {
  const [plaintextPairs, secretPairs] = [flags.list('plaintext'), flags.list('secret')]
  const isPath = flags.isSet('path')
  if (json !== undefined && (plaintextPairs.length > 0 || secretPairs.length > 0 || isPath))
    throw createError('CLI_USAGE', '--json cannot be used with --plaintext, --secret or --path')
  if (flags.isSet('json') !== (json !== undefined))
    throw createError(
      'CLI_USAGE',
      'pass values with --plaintext and --secret, or as JSON with --json',
    )
  const project = session.requireProject()
  const stack = await session.requireStack()
  const file = openStackFile(session, project, { stack, file: flags.text('configFile') })
  const values = json === undefined ? {} : parseValues(json)
  const mustSeal = secretPairs.length > 0 || Object.values(values).some(entry => entry.secret)
  const manager = mustSeal ? await openStackManager(session, stack, file) : undefined
  const seal = (text: string) =>
    ({ kind: 'secure', ciphertext: manager?.crypter.encrypt(text) ?? '' }) as const
  for (const [pairs, toTree] of [
    [plaintextPairs, (text: string) => text],
    [secretPairs, seal],
  ] as const)
    for (const pair of pairs) {
      const [, name, text = ''] = /^([^=]*)=([^]*)$/.exec(pair) ?? []
      if (name === undefined)
        throw createError('CLI_USAGE', `'${pair}' does not have the form <key>=<value>`)
      putConfigValue(file, parseConfigEditKey(name, project.name, isPath), toTree(text))
    }
  for (const [name, entry] of Object.entries(values)) {
    const { fullKey } = parseConfigEditKey(name, project.name, false)
    putJsonValue(file, fullKey, entry, seal)
  }
  writeStackConfig(file)
  return 0
}

function parseValues(text: string): z.infer<typeof configJsonForm> {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    throw createError('CLI_USAGE', `--json is not valid JSON: ${messageOf(cause)}`, { cause })
  }
  const parsed = parseForm(configJsonForm, json)
  if (!parsed.success)
    throw createError(
      'CLI_USAGE',
      `--json: ${parsed.error.issues[0]?.path.join('.')} does not have the format of \`config --json\``,
    )
  for (const [name, { value }] of Object.entries(parsed.data))
    if (value === undefined) throw createError('CLI_USAGE', `--json: '${name}' has no value`)
  return parsed.data
}

type Sealer = (text: string) => { readonly kind: 'secure'; readonly ciphertext: string }

function putJsonValue(
  file: StackConfig,
  key: string,
  { value = '', objectValue, secret }: z.infer<typeof configJsonForm>[string],
  seal: Sealer,
): void {
  const tree = secret ? sealTree(objectValue ?? null, seal) : toConfigTree(objectValue)
  if (isContainer(tree)) file.set(key, tree)
  else file.set(key, secret ? seal(value) : value)
}

/** Encrypts every leaf except null, because the JSON does not mark the secret leaves. */
function sealTree(json: Json, seal: Sealer): ConfigTree {
  if (json === null) return null
  if (isJsonList(json)) return json.map(item => sealTree(item, seal))
  if (typeof json === 'object')
    return new Map(Object.entries(json).map(([name, value]) => [name, sealTree(value, seal)]))
  return seal(String(json))
}

function isJsonList(json: Json): json is readonly Json[] {
  return Array.isArray(json)
}
