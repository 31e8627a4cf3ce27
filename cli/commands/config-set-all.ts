import { z } from 'zod'
import { error, messageOf } from '../../shared/errors/error.ts'
import { type ConfigTree, isContainer, treeOf } from '../../shared/programs/config-tree.ts'
import { type StackConfig, writeStackConfig } from '../../shared/programs/stack-config.ts'
import type { Json } from '../../shared/values/json.ts'
import type { Handler } from '../attach.ts'
import { putConfigValue, readKey } from '../config-edit.ts'
import { openStackFile, stackManager } from '../stack-secrets.ts'

/** What `config --json` prints. */
const jsonForm = z.record(
  z.string(),
  z.object({
    value: z.string().optional(),
    objectValue: z.json().optional(),
    secret: z.boolean().default(false),
  }),
)

/**
 * `config set-all`: sets many values, in clear and encrypted, or those that `config --json`
 * printed. Nothing is written when one of them is wrong.
 */
export const configSetAll: Handler = async (session, flags, [json]) => {
  const [plain, secret] = [flags.list('plaintext'), flags.list('secret')]
  const isPath = flags.is('path')
  if (json !== undefined && (plain.length > 0 || secret.length > 0 || isPath))
    throw error('CLI_USAGE', '--json cannot be used with --plaintext, --secret or --path')
  if (flags.is('json') !== (json !== undefined))
    throw error('CLI_USAGE', 'values are given by --plaintext and --secret, or as JSON by --json')
  const project = session.project()
  const stack = await session.existingStack()
  const file = openStackFile(session, project, { stack, file: flags.text('configFile') })
  const given = json === undefined ? {} : parsed(json)
  const isSealed = secret.length > 0 || Object.values(given).some(one => one.secret)
  const manager = isSealed ? await stackManager(session, stack, file) : undefined
  const seal = (text: string) =>
    ({ kind: 'secure', ciphertext: manager?.crypter.encrypt(text) ?? '' }) as const
  for (const [list, made] of [
    [plain, (text: string) => text],
    [secret, seal],
  ] as const)
    for (const pair of list) {
      const [, name, text = ''] = /^([^=]*)=([^]*)$/.exec(pair) ?? []
      if (name === undefined) throw error('CLI_USAGE', `'${pair}' is not of the form <key>=<value>`)
      putConfigValue(file, readKey(name, project.name, isPath), made(text))
    }
  for (const [name, one] of Object.entries(given)) {
    const { key } = readKey(name, project.name, false)
    putJson(file, key, one, seal)
  }
  writeStackConfig(file)
  return 0
}

function parsed(json: string): z.infer<typeof jsonForm> {
  let data: unknown
  try {
    data = JSON.parse(json)
  } catch (cause) {
    throw error('CLI_USAGE', `--json is no JSON: ${messageOf(cause)}`, { cause })
  }
  const read = jsonForm.safeParse(data)
  if (!read.success)
    throw error('CLI_USAGE', `--json: ${read.error.issues[0]?.path.join('.')} is not as printed`)
  for (const [name, { value }] of Object.entries(read.data))
    if (value === undefined) throw error('CLI_USAGE', `--json: '${name}' has no value`)
  return read.data
}

type Sealer = (text: string) => { readonly kind: 'secure'; readonly ciphertext: string }

function putJson(
  file: StackConfig,
  key: string,
  { value = '', objectValue, secret }: z.infer<typeof jsonForm>[string],
  seal: Sealer,
): void {
  const tree = secret ? sealed(objectValue ?? null, seal) : treeOf(objectValue)
  if (isContainer(tree)) file.set(key, tree)
  else file.set(key, secret ? seal(value) : value)
}

/** JSON whose every leaf is encrypted: which of them are secret is not said. */
function sealed(data: Json, seal: Sealer): ConfigTree {
  if (data === null) return null
  if (isJsonList(data)) return data.map(one => sealed(one, seal))
  if (typeof data === 'object')
    return new Map(Object.entries(data).map(([name, one]) => [name, sealed(one, seal)]))
  return seal(String(data))
}

function isJsonList(data: Json): data is readonly Json[] {
  return Array.isArray(data)
}
