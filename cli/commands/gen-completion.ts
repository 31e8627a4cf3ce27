import { createError } from '../../shared/errors/error.ts'
import type { Handler } from '../arguments/handler.ts'

/** The shells with completion. */
const completionShells = ['bash', 'fish', 'powershell', 'zsh'] as const

/**
 * The scripts of the shells. PowerShell before 7.3 omits an empty argument, but keeps a pair of
 * quotes, so its script passes the quotes. Bash splits words at colons. So its script takes the
 * whole word from the line, and removes the part before the last colon from each candidate.
 */
const scripts: Readonly<Record<string, string>> = {
  bash: `# Completion of antichain for bash. Load it with: source <(antichain gen-completion bash)
_antichain() {
  local line=\${COMP_LINE:0:COMP_POINT} word typed candidate
  local -a args
  read -ra args <<< "$line"
  [[ $line == *[[:space:]] ]] && args+=("")
  word=\${args[-1]}
  typed=\${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  while IFS= read -r candidate; do
    COMPREPLY+=("\${candidate#"\${word%"$typed"}"}")
  done < <("\${args[0]}" __complete bash "\${args[@]:1}" 2>/dev/null)
}
complete -o default -F _antichain antichain
`,
  fish: `# Completion of antichain for fish. Load it with: antichain gen-completion fish | source
function __antichain_complete
  set -l args (commandline -opc) (commandline -ct)
  $args[1] __complete fish $args[2..] 2>/dev/null
end
complete -c antichain -f -a '(__antichain_complete)'
`,
  powershell: `# Completion of antichain for PowerShell. Load it with:
# antichain gen-completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName antichain -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements |
    Where-Object { $_.Extent.StartOffset -lt $cursorPosition } |
    Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($wordToComplete -eq '') {
    $version = $PSVersionTable.PSVersion
    $isNew = $version.Major -gt 7 -or ($version.Major -eq 7 -and $version.Minor -ge 3)
    $words += if ($isNew) { '' } else { '""' }
  }
  antichain __complete powershell @words 2>$null | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`,
  zsh: `#compdef antichain
# Completion of antichain for zsh. Load it after compinit:
# source <(antichain gen-completion zsh)
_antichain() {
  local -a candidates
  candidates=("\${(@f)$($words[1] __complete zsh "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  candidates=(\${candidates:#})
  (( \${#candidates} )) && compadd -- "\${candidates[@]}" || _files
}
compdef _antichain antichain
`,
}

/** `gen-completion <shell>`: prints the script that completes command lines in a shell. */
export const printCompletionScript: Handler = (session, _flags, [shell = '']) => {
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
  if (script === undefined)
    throw createError('CLI_USAGE', `there is no completion for the shell '${shell}'`, {
      hint: `Use one of ${completionShells.join(', ')}.`,
    })
  session.io.stdout.write(script)
  return Promise.resolve(0)
}
