import { isUtf8 } from 'node:buffer'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createError } from '../../shared/errors/error.ts'

/** A file that a user edits. It exists until `remove`. */
export interface EditedFile {
  readonly path: string
  /** Opens the editor, and returns the text afterwards. Throws EDITOR_FAILED. */
  readonly edit: () => string
  /** Reports whether the file still exists. */
  readonly exists: () => boolean
  readonly remove: () => void
}

/**
 * Returns the command of the editor: `option`, or else $VISUAL or $EDITOR. Throws EDITOR_FAILED
 * when none is set.
 */
export function findEditor(
  option: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const editor = option || env['VISUAL'] || env['EDITOR'] || ''
  if (editor === '') throw createError('EDITOR_FAILED', 'no editor is set')
  return editor
}

/** Writes a text to a new file that only the user can read. `editor`: a shell command. */
export function createEditedFile(editor: string, name: string, text: string): EditedFile {
  const folder = mkdtempSync(join(tmpdir(), 'antichain-edit-'))
  const path = join(folder, name)
  writeFileSync(path, text, { mode: 0o600 })
  return {
    path,
    edit() {
      // The shell splits the command, as for git. The path is an argument, so it needs no quotes.
      const {
        status,
        signal,
        error: cause,
      } = spawnSync('sh', ['-c', `${editor} "$@"`, editor, path], { stdio: 'inherit' })
      if (cause !== undefined || status !== 0)
        throw createError(
          'EDITOR_FAILED',
          `the editor '${editor}' failed (${cause?.message ?? signal ?? `exit code ${status}`})`,
        )
      if (!existsSync(path))
        throw createError('EDITOR_FAILED', `the editor '${editor}' removed the file`)
      const bytes = readFileSync(path)
      if (isUtf8(bytes)) return bytes.toString()
      throw createError('EDITOR_FAILED', `the editor '${editor}' saved a text that is not UTF-8`, {
        hint: 'Save the file in UTF-8.',
      })
    },
    exists: () => existsSync(path),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
