import { copyFileSync, existsSync } from 'node:fs'

/**
 * Copies a file to `<file>.bak`, and returns the name of the copy. While that name is taken, it
 * gets a further `.bak`.
 */
export function backUpFile(file: string): string {
  let name = `${file}.bak`
  while (existsSync(name)) name += '.bak'
  copyFileSync(file, name)
  return name
}
