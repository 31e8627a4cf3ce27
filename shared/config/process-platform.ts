/** The platform of this process in Node's names. All functions of an installation have the same. */
export const processPlatform = { os: process.platform, arch: process.arch } as const
