import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createError } from '../../shared/errors/error.ts'
import type { CliSession } from '../session/session.ts'

const programSource = join(import.meta.dirname, 'program')

/**
 * Creates a temporary folder with the program of the checks and its packages: those of the folder
 * `packages`, or those that npm installs. Throws INSTALL_FAILED. The caller removes the folder.
 */
export async function createCheckProgramFolder(
  session: CliSession,
  { project, packages }: { readonly project: string; readonly packages: string | undefined },
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'antichain-verify-'))
  try {
    cpSync(programSource, folder, { recursive: true })
    writeFileSync(join(folder, 'Pulumi.yaml'), `name: ${project}\nruntime: nodejs\n`)
    if (packages === undefined) await installCheckPackages(session, folder)
    // Links are replaced by their targets, because an archive may not link out of its folder.
    else
      cpSync(resolve(session.cwd, packages), join(folder, 'node_modules'), {
        recursive: true,
        dereference: true,
      })
    return folder
  } catch (thrown) {
    rmSync(folder, { recursive: true, force: true })
    throw thrown
  }
}

/** Installs the packages of the program with npm, without their scripts. Throws INSTALL_FAILED. */
async function installCheckPackages(session: CliSession, folder: string): Promise<void> {
  session.printToStderr('Installing the packages of the program with npm.')
  const args = ['install', '--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund']
  const exitCode = await new Promise<number>((resolveExit, reject) => {
    const child = spawn('npm', args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => session.io.stderr.write(text))
    child.on('error', cause =>
      reject(createInstallError(`npm cannot be started: ${cause.message}`)),
    )
    child.on('close', code => resolveExit(code ?? 1))
  })
  if (exitCode !== 0) throw createInstallError(`npm ended with exit code ${exitCode}`)
}

function createInstallError(message: string): Error {
  return createError('INSTALL_FAILED', message, {
    hint: 'Correct the error that npm reports, or pass --packages with a node_modules folder that has @pulumi/pulumi.',
  })
}
