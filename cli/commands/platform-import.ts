import { resolve } from 'node:path'
import { createError } from '../../shared/errors/error.ts'
import type { Handler } from '../arguments/handler.ts'
import { formatWithNoun } from '../display/format-with-noun.ts'
import { withUnpackedExport } from '../exports/export-file.ts'
import { type ExportedStackReader, openExportedStack } from '../exports/exported-stack.ts'
import {
  formatImports,
  formatImportsAsJson,
  type ImportAdditions,
  type ImportPreview,
} from '../exports/format-imports.ts'
import { importAudit, planAudit } from '../exports/import-audit.ts'
import { planDocuments } from '../exports/import-documents.ts'
import { importSettings, planSettings } from '../exports/import-settings.ts'
import { findImportStatus, importExportedStack, replaceState } from '../exports/import-stack.ts'
import { readCheckedManifest } from '../exports/manifest.ts'
import type { PlannedSetting } from '../exports/planned-setting.ts'
import { type CliSession, confirm } from '../session/session.ts'

/** A planned import, and the reader of its stack. */
interface StackImport extends ImportPreview {
  readonly reader: ExportedStackReader
}

/**
 * `platform import <folder|file>`: imports the stacks, settings and audit log of an export. Checks
 * the whole export before the first change. A stack that exists with other contents is skipped.
 * With `--overwrite` it gets the exported state as its next version. A repetition continues an
 * interrupted import. Throws EXPORT_INVALID, FILE_UNREADABLE, CONFIRMATION_DECLINED, and the errors
 * of `importExportedStack`.
 */
export const importPlatform: Handler = (session, flags, [source = '']) =>
  withUnpackedExport(resolve(session.cwd, source), async folder => {
    const manifest = await readCheckedManifest(folder)
    const { stacks } = manifest
    const readers = stacks.map(stack => openExportedStack(session, folder, stack))
    const imports: StackImport[] = []
    for (const reader of readers)
      imports.push(await planImport(session, reader, flags.isSet('overwrite')))
    const stackSettings: PlannedSetting[] = []
    for (const { reader, action } of imports)
      if (action === 'import') stackSettings.push(...(await planDocuments(session, reader)))
    const additions = {
      ...(await planSettings(session, folder, readers)),
      stackSettings,
      audit: await planAudit(session, folder, manifest),
    }
    if (flags.isSet('json')) session.print(formatImportsAsJson(imports, additions))
    else for (const line of formatImports(imports, additions)) session.print(line)
    const changes = imports.filter(({ action }) => action !== 'skip')
    const question = describeChanges(imports.length, changes.length, additions)
    if (flags.isSet('preview') || question === undefined) return 0
    if (!(await confirm(session, flags.isSet('yes'), { text: question, answer: 'yes' })))
      throw createError('CONFIRMATION_DECLINED', 'nothing was changed')
    for (const [index, { reader, action }] of changes.entries()) {
      await (action === 'overwrite' ? replaceState : importExportedStack)(session, reader)
      session.printToStderr(`Imported ${reader.id} (${index + 1} of ${changes.length}).`)
    }
    await importSettings(session, additions.imports)
    if (additions.audit?.isImported === false) await importAudit(session, additions.audit)
    return 0
  })

/** Returns the question for an import. Undefined if it changes nothing. */
function describeChanges(
  stackCount: number,
  changeCount: number,
  { imports, audit }: Pick<ImportAdditions, 'imports' | 'audit'>,
): string | undefined {
  const hasAudit = audit?.isImported === false
  if (changeCount + imports.length === 0 && !hasAudit) return undefined
  const parts = [
    `${changeCount} of ${stackCount} stacks`,
    ...(imports.length === 0 ? [] : [formatWithNoun(imports.length, 'setting')]),
    ...(hasAudit ? ['the audit log'] : []),
  ]
  return `Import ${parts.join(' and ')}?`
}

async function planImport(
  session: CliSession,
  reader: ExportedStackReader,
  mayOverwrite: boolean,
): Promise<StackImport> {
  const status = await findImportStatus(session, reader)
  const isMissing = status === 'new' || status === 'partial'
  const action = isMissing ? 'import' : status === 'exists' && mayOverwrite ? 'overwrite' : 'skip'
  const { remote } = await session.openEngine()
  const { stack, countStates } = reader
  return {
    reader,
    stack,
    status,
    action,
    states: countStates(),
    importsHistory: remote === undefined,
  }
}
