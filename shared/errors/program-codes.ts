/**
 * Errors of programs, plugins, packages, update plans and policy packs. These rows are part of the
 * catalogue.
 */
export const programCodes = {
  POLICY_PACKS_REQUIRED: {
    exit: 3,
    hint: 'Deploy with `antichain up` or `pulumi deployment run`, whose operations run in the installation.',
  },
  POLICY_PACK_FAILED: {
    exit: 1,
    hint: 'Correct the policy pack as the message says; if a module is missing, run `npm install` in its folder.',
  },
  PLAN_INVALID: {
    exit: 1,
    hint: 'Save a new plan for this stack with `antichain preview --save-plan <file>`.',
  },
  PROGRAM_SDK_MISSING: { exit: 1, hint: 'Run `npm install` in the program folder.' },
  PROGRAM_LANGUAGE_MISSING: {
    exit: 1,
    hint: "Install the program's language, and its packages at the place that the project file names.",
  },
  PROGRAM_LANGUAGE_FAILED: {
    exit: 1,
    hint: 'Check the output of the language host and its version.',
  },
  CODE_GENERATION_FAILED: {
    exit: 1,
    hint: 'Correct the problem that the message states, or write the code by hand; nothing was changed.',
  },
  PROGRAM_BUILD_FAILED: { exit: 1, hint: 'Correct the errors that the compiler reports.' },
  PROGRAM_TYPESCRIPT_MIX: {
    exit: 1,
    hint: 'Run `npm install --save-dev typescript@5` in the program folder.',
  },
  PROGRAM_FAILED: { exit: 1, hint: 'Correct the program; its own error message is above.' },
  PROGRAM_NODE_MISSING: {
    exit: 1,
    hint: 'Install Node 22 or later, or run `npm install` in the antichain folder.',
  },
  PACKAGE_INVALID: {
    exit: 1,
    hint: 'Give the package a name and a version such as 1.2.3, and register it before its first use.',
  },
  PLUGIN_MISSING: {
    exit: 1,
    hint: 'Put the plugin on PATH, or install it with `antichain plugin install`.',
  },
  PLUGIN_ADDRESS: {
    exit: 1,
    hint: 'Use a plugin address that begins with https://, github://, gitlab:// or git://.',
  },
  PLUGIN_SOURCE_REFUSED: {
    exit: 1,
    hint: 'Ask an administrator to allow the source with `antichain plugin allow <source>`, or to send the archive with `antichain plugin push`.',
  },
  PLUGIN_TOO_LARGE: { exit: 1, hint: "Check the file that the plugin's address serves." },
  PLUGIN_DOWNLOAD: {
    exit: 1,
    hint: 'Check the address and the network, or install the plugin from a file with `--file`.',
  },
  PLUGIN_AMBIGUOUS: {
    exit: 1,
    hint: 'Remove one of the packages, or set `provider` on each resource.',
  },
  PLUGIN_CHECKSUM: {
    exit: 1,
    hint: "Upload the plugin's archive to its source again; the archive with the wrong checksum was not used.",
  },
  PLUGIN_FAILED: {
    exit: 1,
    hint: "Correct the problem in the last lines of the plugin's output above, and run the command again.",
  },
  PLUGIN_HANDSHAKE: {
    exit: 1,
    hint: 'Use a provider that speaks protocol 5 or 6 of Terraform, and name its binary, not a script that prints text.',
  },
} as const
