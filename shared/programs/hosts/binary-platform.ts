import { closeSync, openSync, readSync } from 'node:fs'
import { createError } from '../../errors/error.ts'
import { isExecutable } from '../executables.ts'

/** A platform in Node's names, such as `linux` and `x64`. */
export interface NodePlatform {
  readonly os: string
  readonly arch: string
}

/** Requires that the binary of a program can run on a platform. Throws PROGRAM_LANGUAGE_MISSING. */
export function requireBinaryOf(file: string, { os, arch }: NodePlatform): void {
  if (!isExecutable(file))
    throw createError(
      'PROGRAM_LANGUAGE_MISSING',
      `the program's binary ${file} is not executable`,
      {
        hint: 'Build the binary, or remove `binary` from the runtime options of the project file.',
      },
    )
  const otherPlatform = os === 'linux' ? findOtherPlatform(file, arch) : undefined
  if (otherPlatform === undefined) return
  const goArch = goArchitectures.get(arch) ?? arch
  throw createError(
    'PROGRAM_LANGUAGE_MISSING',
    `the program's binary ${file} is built for ${otherPlatform}: build it with \`CGO_ENABLED=0 GOOS=linux GOARCH=${goArch} go build\``,
  )
}

/** The machine codes of ELF files, and the architectures in Go's names. */
const elfMachines: ReadonlyMap<number, string> = new Map([
  [0x3e, 'amd64'],
  [0xb7, 'arm64'],
])

/** The architectures of Node in Go's names. */
const goArchitectures: ReadonlyMap<string, string> = new Map([
  ['x64', 'amd64'],
  ['arm64', 'arm64'],
])

/** The first bytes of executable files for macOS (Mach-O) and Windows. */
const foreignFormats: readonly (readonly [bytes: string, name: string])[] = [
  ['cffaedfe', 'macOS'],
  ['cafebabe', 'macOS'],
  ['4d5a', 'Windows'],
]

/**
 * Returns the platform for which a file was built, if it is another one than `arch` on Linux.
 * Returns undefined for a file that may run there, such as a script. `arch` has Node's name. Throws
 * the errors of reading the file.
 */
export function findOtherPlatform(file: string, arch: string): string | undefined {
  const header = readHeader(file)
  const start = header.toString('hex')
  const foreignFormat = foreignFormats.find(([bytes]) => start.startsWith(bytes))
  if (foreignFormat !== undefined) return foreignFormat[1]
  if (!start.startsWith('7f454c46') || header.length < 20) return undefined
  // An ELF file has its machine code in the bytes 18 and 19.
  const machine = header.readUInt16LE(18)
  const builtArch = elfMachines.get(machine) ?? `machine ${machine}`
  return builtArch === goArchitectures.get(arch) ? undefined : `linux/${builtArch}`
}

function readHeader(file: string): Buffer {
  const descriptor = openSync(file, 'r')
  try {
    const header = Buffer.alloc(20)
    return header.subarray(0, readSync(descriptor, header, 0, header.length, 0))
  } finally {
    closeSync(descriptor)
  }
}
