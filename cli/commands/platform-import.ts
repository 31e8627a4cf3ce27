import { resolve } from 'node:path'
import { error } from '../../shared/errors/error.ts'
import type { Handler } from '../arguments/handler.ts'
import { formatWithNoun } from '../display/format-with-noun.ts'
import { withUnpackedExport } from '../exports/export-file.ts'
import { type ExportedStackReader, openExportedStack } from '../exports/exported-stack.ts'
import {
  formatImports,
  formatImportsAsJson,
  type ImportPreview,
} from '../exports/format-imports.ts'
import { importSettings, planSettings } from '../exports/import-settings.ts'
import { findImportStatus, importExportedStack, replaceState } from '../exports/import-stack.ts'
import { readCheckedManifest } from '../exports/manifest.ts'
import { type CliSession, confirm } from '../session/session.ts'

/** A planned import, and the reader of its stack. */
interface StackImport extends ImportPreview {
  readonly reader: ExportedStackReader
}

/**
 * `platform import <folder|file>`: imports the stacks and settings of an export. Checks the whole
 * export before the first change. A stack that exists with other contents is skipped. With
 * `--overwrite` it gets the exported state as its next version. A repetition continues an
 * interrupted import. Throws EXPORT_INVALID, FILE_UNREADABLE, CONFIRMATION_DECLINED, and the errors
 * of `importExportedStack`.
 */
export const importPlatform: Handler = (session, flags, [source = '']) =>
  withUnpackedExport(resolve(session.cwd, source), async folder => {
    const { stacks } = await readCheckedManifest(folder)
    const readers = stacks.map(stack => openExportedStack(session, folder, stack))
    const imports: StackImport[] = []
    for (const reader of readers)
      imports.push(await planImport(session, reader, flags.isSet('overwrite')))
    const settings = await planSettings(session, folder, readers)
    if (flags.isSet('json')) session.print(formatImportsAsJson(imports, settings))
    else for (const line of formatImports(imports, settings)) session.print(line)
    const changes = imports.filter(({ action }) => action !== 'skip')
    const settingCount = settings.imports.length
    if (flags.isSet('preview') || changes.length + settingCount === 0) return 0
    const settingText = settingCount === 0 ? '' : ` and ${formatWithNoun(settingCount, 'setting')}`
    const question = {
      text: `Import ${changes.length} of ${imports.length} stacks${settingText}?`,
      answer: 'yes',
    }
    if (!(await confirm(session, flags.isSet('yes'), question)))
      throw error('CONFIRMATION_DECLINED', 'nothing was changed')
    for (const [index, { reader, action }] of changes.entries()) {
      await (action === 'overwrite' ? replaceState : importExportedStack)(session, reader)
      session.printToStderr(`Imported ${reader.id} (${index + 1} of ${changes.length}).`)
    }
    await importSettings(session, settings.imports)
    return 0
  })

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
