import { appendFileSync, createWriteStream, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import * as z from 'zod'
import type { EnginePort } from '../../local/engine-port.ts'
import { hasCode } from '../../shared/errors/error.ts'
import { apiLimits } from '../../shared/config/api-limits.ts'
import { readHistory } from '../../shared/engine/deployment/retention/read-history-and-versions.ts'
import type { HistoryRecord } from '../../shared/ports/catalog.ts'
import { deploymentPartsOf, type StackId } from '../../shared/records/ids.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import { readCurrentAccount } from '../remote/current-account.ts'
import { createApiPageForm, readApiPages } from '../remote/api-pages.ts'
import { stackPathOf } from '../remote/stack-path.ts'
import type { CliSession } from '../session/session.ts'
import { auditFile } from './import-audit.ts'
import { requireExportedName } from './exported-names.ts'
import { listGroupNames, listSettings, writeInstallationSettings } from './installation-settings.ts'
import { type ExportedStack, type ExportManifest, hashMember } from './manifest.ts'
import { listMembers, manifestName } from './manifest.ts'
import { readUnchangedStack } from './read-unchanged-stack.ts'

const privateFileOptions = { mode: 0o600 } as const
const itemForm = z.looseObject({})
const auditPageForm = createApiPageForm(itemForm)

/**
 * Writes all stacks, the settings of all groups and the audit log to an empty folder. Reports each
 * stack. Throws STORE_CONFLICT, and the errors of the store and of the API. Throws
 * API_ANSWER_UNKNOWN for a name that no import accepts, and for a list without an end.
 */
export async function writeExport(
  session: CliSession,
  folder: string,
  report: (line: string) => void,
): Promise<{ readonly manifest: ExportManifest; readonly groups: readonly string[] }> {
  const engine = await session.openEngine()
  const { stacks, unreadable } = await engine.platform.catalog.listStacks()
  const [firstUnreadable] = unreadable
  if (firstUnreadable !== undefined) throw firstUnreadable.reason
  for (const { id } of stacks) requireExportedName('stack', id)
  const exportedStacks: ExportedStack[] = []
  for (const [index, { id }] of stacks.entries()) {
    const stackFolder = `stacks/${index}`
    const writtenStack = await writeStack(session, folder, { id, folder: stackFolder })
    if (writtenStack === undefined) {
      rmSync(join(folder, stackFolder), { recursive: true, force: true })
      report(`warning: ${id} was removed during the export; the export does not have it.`)
      continue
    }
    exportedStacks.push(writtenStack.stack)
    if (writtenStack.isOpen)
      report(`warning: ${id} has an open deployment; the export has its state so far.`)
    report(`Exported ${id} (${index + 1} of ${stacks.length}).`)
  }
  const groups = await listGroupNames(engine)
  await writeInstallationSettings(engine, folder, groups)
  await writeAudit(session, folder)
  const members: Record<string, ExportManifest['members'][string]> = {}
  for (const name of listMembers(folder)) members[name] = await hashMember(join(folder, name))
  const createdAt = new Date().toISOString()
  const source = await readSourceName(session)
  const manifest: ExportManifest = { format: 1, createdAt, source, stacks: exportedStacks, members }
  writeMember(folder, manifestName, JSON.stringify(manifest, null, 2))
  return { manifest, groups }
}

/**
 * Returns the address of the API in use. Without an API, returns the name of this machine and the
 * folder of its store. The address of a backend in use precedes them.
 */
async function readSourceName(session: CliSession): Promise<string> {
  const account = await readCurrentAccount(session)
  const name = account.kind === 'api' ? account.url : `${hostname()}:${session.home}`
  return (account.kind === 'backend' ? `${account.address} on ${name}` : name).slice(
    0,
    apiLimits.auditSourceCharsMax,
  )
}

/** A stack whose files were written, and whether it has an open deployment. */
interface WrittenStack {
  readonly stack: ExportedStack
  readonly isOpen: boolean
}

/**
 * Writes the files of a stack. Returns its entry of the manifest. Returns undefined for a stack
 * that no longer exists. Some files of this stack may remain. Throws STORE_CONFLICT.
 */
async function writeStack(
  session: CliSession,
  root: string,
  target: { readonly id: StackId; readonly folder: string },
): Promise<WrittenStack | undefined> {
  try {
    return await writePresentStack(session, root, target)
  } catch (thrown) {
    if (!hasCode(thrown, 'STACK_NOT_FOUND')) throw thrown
    return undefined
  }
}

/** Like `writeStack`, but may throw STACK_NOT_FOUND for a stack that is removed meanwhile. */
async function writePresentStack(
  session: CliSession,
  root: string,
  { id, folder }: { readonly id: StackId; readonly folder: string },
): Promise<WrittenStack | undefined> {
  const engine = await session.openEngine()
  const unchangedStack = await readUnchangedStack(engine, id, () =>
    writeHistory(engine, join(root, folder, 'history.jsonl'), id),
  )
  if (unchangedStack === undefined) return undefined
  const { record, state, contents } = unchangedStack
  const { history, versions } = contents
  if (state !== undefined) await writeState(session, join(root, folder, 'state.json'), state)
  for (const earlierVersion of versions) {
    if (earlierVersion === record.version) continue
    const earlierState = await engine.exportState(id, earlierVersion)
    if (earlierState === undefined) continue
    const path = join(root, folder, 'versions', `${earlierVersion}.json`)
    await writeState(session, path, earlierState)
  }
  const documents = JSON.stringify(await readStackDocuments(session, id), null, 2)
  writeMember(root, `${folder}/documents.json`, documents)
  const secrets = state?.secrets_providers?.type ?? ''
  const resources = state?.resources?.length ?? 0
  const version = state === undefined ? 0 : record.version
  const stack = { id, folder, history, resources, version, secrets }
  return { stack, isOpen: record.current !== '' }
}

/** Writes the history of a stack, newest entry first. Returns its length and its versions. */
async function writeHistory(
  { platform }: Pick<EnginePort, 'platform'>,
  path: string,
  id: StackId,
): Promise<{ readonly history: number; readonly versions: ReadonlySet<number> }> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(path, '', privateFileOptions)
  const versions = new Set<number>()
  let history = 0
  for await (const entry of readHistory(platform.catalog, id)) {
    history += 1
    const { version = 0 } = entry
    if (Number.isSafeInteger(version) && version > 0) versions.add(version)
    appendFileSync(path, `${JSON.stringify(toHistoryLine(entry))}\n`)
  }
  return { history, versions }
}

function toHistoryLine({ deployment, ...entry }: HistoryRecord) {
  return { number: deploymentPartsOf(deployment).number, ...entry }
}

async function readStackDocuments(session: CliSession, id: StackId) {
  const engine = await session.openEngine()
  const path = stackPathOf(id)
  const readDocument = (name: string) => engine.callApi({ method: 'GET', path: `${path}/${name}` })
  const { tags } = z.object({ tags: itemForm }).parse(await readDocument('tags'))
  return {
    tags,
    approvalRule: await readDocument('approval-rule'),
    schedules: await listSettings(engine, `${path}/schedules`),
    notifications: await listSettings(engine, `${path}/notifications`),
  }
}

/** Writes the audit log, newest entry first, page by page. */
async function writeAudit(session: CliSession, root: string): Promise<void> {
  const engine = await session.openEngine()
  const path = join(root, auditFile)
  writeMember(root, auditFile, '')
  const pages = readApiPages(async cursor => {
    const query = `limit=100&cursor=${encodeURIComponent(cursor)}`
    return auditPageForm.parse(await engine.callApi({ method: 'GET', path: `/v1/audit?${query}` }))
  })
  for await (const page of pages) {
    const lines = page.items.map(entry => `${JSON.stringify(entry)}\n`)
    appendFileSync(path, lines.join(''))
  }
}

function writeMember(root: string, name: string, text: string): void {
  const path = join(root, name)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(path, text, privateFileOptions)
}

async function writeState(
  session: CliSession,
  path: string,
  state: StoredDeployment,
): Promise<void> {
  const tools = await session.tools.loadState()
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const chunks = tools.printEnvelopeInChunks(await tools.envelopeOf(state))
  await pipeline(Readable.from(chunks), createWriteStream(path, privateFileOptions))
}
