/** Where the script of the reading room's worker is; the build puts another file in its place. */
export const ROOM_FILE = new URL('./room-worker.ts', import.meta.url)
