/** Runs the commands of a page of documentation, and compares their output with the page. */
import type { Sandbox } from './sandbox.ts'

/** A command of a page with the output that the page shows, or a file to write. */
export type PageStep =
  | { readonly kind: 'file'; readonly path: string; readonly text: string }
  | { readonly kind: 'command'; readonly command: string; readonly output: string }

/**
 * Reads the steps of a page, in its order. A block with a file name after its language is a file.
 * In a block `sh`, each line with `$ ` is a command, and the lines below it are its output.
 */
export function parsePageSteps(page: string): readonly PageStep[] {
  return [...page.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm)].flatMap(
    ([, language, path, text = '']): readonly PageStep[] => {
      if (path !== undefined) return [{ kind: 'file', path, text }]
      if (language !== 'sh') return []
      return [...text.matchAll(/^\$ (.*(?:\\\n.*)*)\n((?:(?!\$ ).*\n)*)/gm)].map(
        ([, command = '', output = '']) => ({ kind: 'command', command, output }),
      )
    },
  )
}

/** Separates the outputs of the commands. */
const separator = '\u001e'

/**
 * Runs the steps in one shell, in the folder of the sandbox. Throws if a command fails. Returns
 * each command with its output.
 */
export async function runPageSteps(
  sandbox: Sandbox,
  steps: readonly PageStep[],
  env: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const script = steps.map(step =>
    step.kind === 'file'
      ? `mkdir -p "$(dirname '${step.path}')"\ncat > '${step.path}' <<'END OF FILE'\n${step.text}END OF FILE\n`
      : `printf '${separator}'\n${step.command}\n`,
  )
  const { exit, out } = await sandbox.run(['-euc', `exec 2>&1\n${script.join('')}`], {
    command: 'bash',
    env,
  })
  if (exit !== 0) throw new Error(`exit ${exit} of the last command\n${out}`)
  return out.split(separator).slice(1)
}

/**
 * Returns the pattern of an output on a page. `…` stands for any text of a line, a line `…` for any
 * lines, a duration for any duration, and a space for any spaces.
 */
export function createOutputPattern(output: string): RegExp {
  const lines = output.trimEnd().split('\n').map(createLinePattern)
  return new RegExp(`^\\s*${lines.join('')}\\s*$`)
}

function createLinePattern(line: string): string {
  if (line === '…') return String.raw`(?:.*\n)*?`
  const text = line
    .trim()
    .replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
    .replaceAll(/\d+\\\.\d+s/g, String.raw`\d+(?:\.\d+)?s`)
    .replaceAll('…', '.*')
    .replaceAll(/ +/g, ' *')
  return String.raw` *${text} *(?:\n|$)`
}
