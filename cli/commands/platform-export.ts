import { resolve } from 'node:path'
import type { Handler } from '../arguments/handler.ts'
import { formatWithNoun } from '../display/format-with-noun.ts'
import { withExportFolder } from '../exports/export-file.ts'
import { writeExport } from '../exports/write-export.ts'

/**
 * `platform export <folder|file>`: writes all stacks, the documents of all groups, and the audit
 * log to a folder or to an archive (`.tar.gz`). Secrets stay encrypted. Throws
 * FILE_UNWRITABLE, and the errors of the store or of the API.
 */
export const exportPlatform: Handler = async (session, flags, [target = '']) => {
  const path = resolve(session.cwd, target)
  let exportResult: Awaited<ReturnType<typeof writeExport>> | undefined
  await withExportFolder(path, async folder => {
    exportResult = await writeExport(session, folder, session.printToStderr)
  })
  const { groups = [] } = exportResult ?? {}
  const { stacks = [], members = {} } = exportResult?.manifest ?? {}
  const bytes = Object.values(members).reduce((sum, member) => sum + member.bytes, 0)
  if (flags.isSet('json')) {
    const summary = { path, groups, stacks, members: Object.keys(members).length, bytes }
    session.print(JSON.stringify(summary, null, 2))
    return 0
  }
  session.print(`Exported ${formatWithNoun(stacks.length, 'stack')} to ${path}.`)
  if (groups.length > 1)
    session.print(`The export has the documents of the groups ${groups.join(', ')}.`)
  const encryptedStacks = stacks.filter(({ secrets }) => secrets !== '')
  if (encryptedStacks.length > 0)
    session.printToStderr('The secrets are encrypted. Keep the keys or passphrases of the stacks.')
  return 0
}
