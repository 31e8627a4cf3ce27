import * as z from 'zod'
import { createError } from '../../../errors/error.ts'
import type { HclBlock, HclBody } from './hcl-document.ts'
import { formatSourceAddress, parseSourceAddress } from './source-address.ts'
import { createProviderFilter, type ProviderFilter } from './provider-patterns.ts'

/** A source of providers: a folder, a mirror, or the registries that the addresses name. */
export type InstallationMethod = { readonly accepts: ProviderFilter } & (
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'mirror'; readonly url: string }
  | { readonly kind: 'registry' }
)

/** The methods that a `provider_installation` block names. */
export interface InstallationBlock {
  readonly methods: readonly InstallationMethod[]
  /** Full address of a provider → the folder of its executable, from `dev_overrides`. */
  readonly developmentFolders: ReadonlyMap<string, string>
}

const patternsForm = z.array(z.string()).optional()
const folderForm = z.strictObject({
  path: z.string(),
  include: patternsForm,
  exclude: patternsForm,
})
const mirrorForm = z.strictObject({ url: z.url(), include: patternsForm, exclude: patternsForm })
const registryForm = z.strictObject({ include: patternsForm, exclude: patternsForm })

/**
 * Reads a `provider_installation` block. Throws TERRAFORM_SETTINGS_INVALID, and FEATURE_MISSING for
 * `oci_mirror`.
 */
export function readInstallationBlock({ body }: HclBlock, file: string): InstallationBlock {
  const methods: InstallationMethod[] = []
  const developmentFolders = new Map<string, string>()
  for (const [index, block] of body.blocks.entries()) {
    if (block.type !== 'dev_overrides') {
      methods.push(readMethod(block, file))
      continue
    }
    if (index > 0) throw createSettingsError(file, "'dev_overrides' must be the first method")
    for (const [source, folder] of block.body.attributes) {
      if (typeof folder !== 'string')
        throw createSettingsError(file, `'dev_overrides' needs the folder of '${source}' as text`)
      developmentFolders.set(formatSourceAddress(parseSourceAddress(source)), folder)
    }
  }
  return { methods, developmentFolders }
}

function readMethod({ type, body }: HclBlock, file: string): InstallationMethod {
  switch (type) {
    case 'filesystem_mirror': {
      const { path, ...patterns } = readForm(folderForm, body, { type, file })
      return { kind: 'folder', path, accepts: createFilter(patterns) }
    }
    case 'network_mirror': {
      const { url, ...patterns } = readForm(mirrorForm, body, { type, file })
      if (!url.startsWith('https://'))
        throw createSettingsError(file, `the mirror ${url} must have an address with https`)
      return { kind: 'mirror', url: `${url.replace(/\/+$/, '')}/`, accepts: createFilter(patterns) }
    }
    case 'direct':
      return {
        kind: 'registry',
        accepts: createFilter(readForm(registryForm, body, { type, file })),
      }
    case 'oci_mirror':
      throw createError(
        'FEATURE_MISSING',
        `${file}: the installation method 'oci_mirror' is not supported`,
        {
          hint: 'Use `network_mirror` or `filesystem_mirror` with the same providers.',
        },
      )
    default:
      throw createSettingsError(file, `the installation method '${type}' is unknown`)
  }
}

function createFilter(patterns: {
  readonly include?: readonly string[] | undefined
  readonly exclude?: readonly string[] | undefined
}): ProviderFilter {
  return createProviderFilter({ include: patterns.include, exclude: patterns.exclude })
}

function readForm<T>(
  form: z.ZodType<T>,
  body: HclBody,
  place: { readonly type: string; readonly file: string },
): T {
  const parsed = form.safeParse(Object.fromEntries(body.attributes))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const path = issue?.path.join('.') ?? ''
  throw createSettingsError(place.file, `'${place.type}', '${path}': ${issue?.message ?? ''}`)
}

/** Creates an error for a settings file of Terraform's command line. */
export function createSettingsError(file: string, problem: string): Error {
  return createError('TERRAFORM_SETTINGS_INVALID', `${file}: ${problem}`)
}
