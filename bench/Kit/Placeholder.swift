import Histogram
