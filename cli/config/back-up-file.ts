import { copyFileSync, existsSync } from 'node:fs'

/** Copies a file to `<file>.bak`, or `<file>.bak.bak` and so on, and returns that free name. */
export function backUpFile(file: string): string {
  let name = `${file}.bak`
  while (existsSync(name)) name += '.bak'
  copyFileSync(file, name)
  return name
}
