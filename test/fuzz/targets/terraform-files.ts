import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createError } from '../../../shared/errors/error.ts'
import { nameInstances } from '../../../shared/providers/terraform/adoption/name-instances.ts'
import { readTfstate } from '../../../shared/providers/terraform/adoption/read-tfstate.ts'
import { parseHandshake } from '../../../shared/providers/terraform/client/handshake.ts'
import { findReattachedProvider } from '../../../shared/providers/terraform/client/reattach.ts'
import { convertFiles } from '../../../shared/providers/terraform/convert/conversion.fixture.ts'
import { readCliSettings } from '../../../shared/providers/terraform/install/cli-settings.ts'
import {
  readLockFile,
  writeProviderLock,
} from '../../../shared/providers/terraform/install/lock-file.ts'
import { createMirrorSource } from '../../../shared/providers/terraform/install/network-mirror.ts'
import { createRegistryClient } from '../../../shared/providers/terraform/install/registry-client.ts'
import { verifyChecksums } from '../../../shared/providers/terraform/install/verify-checksums.ts'
import { parseSourceAddress } from '../../../shared/providers/terraform/install/source-address.ts'
import {
  findNewestMatch,
  parseVersionConstraints,
} from '../../../shared/providers/terraform/install/version-constraints.ts'
import { verifyDetachedSignature } from '../../../shared/providers/terraform/install/openpgp/verify-detached.ts'
import { type FuzzTarget, requireLaw } from '../fuzz-target.ts'

const scratch = mkdtempSync(join(tmpdir(), 'antichain-fuzz-'))
mkdirSync(join(scratch, '.terraform.d'))

/** Returns a function that fetches the same document from every address. */
const createFetch =
  (text: string): typeof fetch =>
  async () =>
    new Response(text)

const address = parseSourceAddress('example.com/a/b')
const platform = { os: 'linux', arch: 'amd64' }

function createHttp(text: string) {
  const pause = async (): Promise<void> => undefined
  const report = (): void => undefined
  const common = { env: {}, home: scratch, programFolder: scratch, platform, now: () => 0 }
  return { ...common, fetch: createFetch(text), pause, report }
}

/** Asks a registry whose responses have this text. `base`: the registry is known already. */
async function askRegistry(text: string, base: boolean): Promise<void> {
  const registry = createRegistryClient(createHttp(text), {
    tokens: new Map(),
    registries: new Map(base ? [[address.hostname, 'https://example.com/v1/']] : []),
    hasCredentialsHelper: false,
  })
  if (text.includes('download_url')) await registry.fetchDescription(address, '1.0.0', platform)
  else await registry.listVersions(address)
}

async function askMirror(text: string): Promise<void> {
  const mirror = createMirrorSource(
    'https://mirror.example.com/',
    { tokens: new Map() },
    createHttp(text),
  )
  if (text.includes('archives')) await mirror.locate(address, '1.0.0')
  else await mirror.listVersions(address)
}

function checkChecksums(text: string): Promise<unknown> {
  const url = 'https://registry.opentofu.org/x'
  const shasum = 'a'.repeat(64)
  const urls = { downloadUrl: url, shasumsUrl: url, signatureUrl: url }
  const fields = { filename: 'a.zip', shasum, publicKeys: [], hashes: [], sizeBytes: undefined }
  const subject = {
    title: 'the package',
    address: { ...address, hostname: 'registry.opentofu.org' },
  }
  return verifyChecksums({ ...urls, ...fields }, subject, createHttp(text))
}

const refuse = (problem: string): Error => createError('TERRAFORM_FILE_INVALID', problem)

/** Reads a lock file, adds a lock, and reads the result, which must have all locks. */
function checkLocks(text: string): void {
  const file = join(scratch, 'lock.hcl')
  writeFileSync(file, text)
  const before = readLockFile(file) ?? new Map()
  const lock = { version: '1.0.0', constraints: '~> 1.0', hashes: ['h1:a'] }
  writeProviderLock(file, 'example.com/a/b', lock)
  const after = readLockFile(file) ?? new Map()
  const added = before.has('example.com/a/b') ? 0 : 1
  requireLaw(after.size === before.size + added, 'a written lock file keeps its locks')
  const written = readFileSync(file, 'utf8')
  writeProviderLock(file, 'example.com/a/b', lock)
  requireLaw(readFileSync(file, 'utf8') === written, 'a repeated lock changes nothing')
}

function checkSettings(text: string): unknown {
  const name = text.trimStart().startsWith('{') ? 'credentials.tfrc.json' : 'a.tfrc'
  const file = join(scratch, '.terraform.d', name)
  writeFileSync(file, text)
  try {
    return readCliSettings({ env: {}, home: scratch, report: () => undefined })
  } finally {
    rmSync(file)
  }
}

const { document, signatures } = JSON.parse(
  readFileSync(
    new URL(
      '../../../shared/providers/terraform/install/openpgp/gnupg-signatures.fixture.json',
      import.meta.url,
    ),
    'utf8',
  ),
) as {
  readonly document: string
  readonly signatures: Readonly<Record<string, { readonly publicKey: string }>>
}
/** The kinds of keys whose signatures the corpus has. */
const keyNames = ['RSA', 'ECDSA', 'EdDSA', 'a revoked key']
const armoredKeys = keyNames.map(name => signatures[name]?.publicKey ?? '')

/** Verifies a signature over its document, and over another one, for which it is never valid. */
function checkSignature(text: string, keys: readonly string[]): void {
  const options = { armoredKeys: keys, nowMs: Date.parse('2026-12-01') }
  const signature = Buffer.from(text, 'latin1')
  const check = verifyDetachedSignature(Buffer.from(document), signature, options)
  const other = verifyDetachedSignature(Buffer.from(`${document}.`), signature, options)
  requireLaw(other.kind === 'invalid', 'a signature is not valid for another document')
  if (check.kind === 'invalid') throw refuse(check.problem)
}

/** The readers of files, by the first line of an input. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  tfstate: text => {
    const { instances } = readTfstate(text, 'terraform.tfstate')
    const names = nameInstances(instances, new Map())
    const types = new Map(instances.map(({ address, object }) => [address, object.typeName]))
    const keys = [...names].map(([address, name]) => `${types.get(address)} ${name}`)
    requireLaw(new Set(keys).size === keys.length, 'objects of one type have different names')
  },
  'main.tf': text => convertFiles([{ name: 'main.tf', text }]),
  'main.tf.json': text => convertFiles([{ name: 'main.tf.json', text }]),
  'a.tfvars': text =>
    convertFiles([
      { name: 'main.tf', text: 'variable "a" {\n  type = any\n}\n' },
      { name: 'a.auto.tfvars', text },
    ]),
  'a.tfvars.json': text =>
    convertFiles([
      { name: 'main.tf', text: 'variable "a" {\n  type = any\n}\n' },
      { name: 'a.auto.tfvars.json', text },
    ]),
  lock: checkLocks,
  settings: checkSettings,
  handshake: text => {
    const parsed = parseHandshake(text, { expectsTls: false })
    if (parsed.kind === 'problem') throw createError(parsed.code, parsed.problem)
  },
  reattach: text => findReattachedProvider({ TF_REATTACH_PROVIDERS: text }, 'hashicorp/random'),
  source: text => parseSourceAddress(text),
  constraints: text =>
    findNewestMatch(['1.0.0', '1.2.0-rc1', '2.0.0'], parseVersionConstraints(text)),
  registry: text => askRegistry(text, true),
  discovery: text => askRegistry(text, false),
  mirror: askMirror,
  checksums: checkChecksums,
  signature: text => checkSignature(text, armoredKeys),
  key: text => checkSignature('', [text]),
}

/**
 * Files of Terraform, and responses of its registries: a line with the kind of the file or response,
 * and its text.
 */
export const terraformFilesTarget: FuzzTarget = {
  decode(input) {
    const bytes = Buffer.from(input)
    const lineEnd = Math.max(0, bytes.indexOf(10))
    const kind = bytes.toString('utf8', 0, lineEnd)
    const read = Object.hasOwn(readers, kind) ? readers[kind] : undefined
    if (read === undefined) throw refuse('the input has no kind of file')
    return read(bytes.toString(kind === 'signature' ? 'latin1' : 'utf8', lineEnd + 1))
  },
  close: async () => rmSync(scratch, { recursive: true }),
}
