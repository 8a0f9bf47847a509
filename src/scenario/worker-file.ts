/** Where the script of the document worker is; the build puts another file in its place. */
export const WORKER_FILE = new URL('./worker-script.ts', import.meta.url)
