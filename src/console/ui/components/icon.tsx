import {
  ArrowLeftRight,
  Ban,
  BookOpen,
  Boxes,
  Camera,
  ChevronDown,
  ChevronUp,
  CircleCheck,
  CircleX,
  Clapperboard,
  Clock,
  Contrast,
  Database,
  Download,
  FlaskConical,
  Keyboard,
  Pause,
  Play,
  Plus,
  RotateCcw,
  Search,
  Send,
  ShieldCheck,
  SlidersHorizontal,
  Trash2,
  Unplug,
  WandSparkles,
  X
} from 'lucide'
import { h } from 'preact'

const ICONS = {
  requests: ArrowLeftRight,
  data: Database,
  scenario: Clapperboard,
  settings: SlidersHorizontal,
  evidence: ShieldCheck,
  sandboxes: Boxes,
  book: BookOpen,
  theme: Contrast,
  keyboard: Keyboard,
  done: CircleCheck,
  refused: CircleX,
  lost: Unplug,
  scripted: WandSparkles,
  search: Search,
  close: X,
  ban: Ban,
  clock: Clock,
  camera: Camera,
  reset: RotateCcw,
  pause: Pause,
  play: Play,
  trash: Trash2,
  plus: Plus,
  download: Download,
  flask: FlaskConical,
  send: Send,
  up: ChevronUp,
  down: ChevronDown
} as const

export type IconName = keyof typeof ICONS

export const Icon = ({ name }: { name: IconName }) => (
  <svg
    class="icon"
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="2"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    {ICONS[name].map(([tag, attributes]) => h(tag, attributes))}
  </svg>
)
