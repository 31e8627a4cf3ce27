import { copyFileSync, existsSync } from 'node:fs'

/** Copies a file to the first free name of the form `<file>.bak`, `<file>.bak.bak`. Returns it. */
export function backUpFile(file: string): string {
  let name = `${file}.bak`
  while (existsSync(name)) name += '.bak'
  copyFileSync(file, name)
  return name
}
